/** Reads a ZIP without compression, by its central directory, and checks every CRC-32. */
import { crc32 } from "node:zlib"

export const unzip = (bytes: Uint8Array): ReadonlyMap<string, Buffer> => {
  const zip = Buffer.from(bytes)
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06"))
  if (end === -1) throw new Error("The ZIP has no end")
  const files = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let entries = zip.readUInt16LE(end + 10); entries > 0; entries--) {
    const [sum, size] = [zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 24)]
    const [nameSize, extraSize] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)]
    const name = zip.toString("utf8", at + 46, at + 46 + nameSize)
    const local = zip.readUInt32LE(at + 42)
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const content = zip.subarray(begin, begin + size)
    if (crc32(content) !== sum) throw new Error(`${name} has another checksum`)
    files.set(name, content)
    at += 46 + nameSize + extraSize + zip.readUInt16LE(at + 32)
  }
  return files
}
