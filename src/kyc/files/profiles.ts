/** Removes all but the pixels: a colour profile can have names, dates and arbitrary bytes of its author. */
import { chunksOf } from "./chunks.ts"

/** JPEG (ITU T.81, Annex B): removes application and comment segments before the first scan. */
const bareJpeg = (file: Buffer): Buffer => {
  const kept = [file.subarray(0, 2)]
  let at = 2
  while (at + 4 <= file.length && file.readUInt8(at + 1) !== 0xda) {
    const marker = file.readUInt8(at + 1)
    const end = at + 2 + file.readUInt16BE(at + 2)
    // Keep JFIF's segment, and Adobe's, which says how colours are encoded.
    if (marker === 0xe0 || marker === 0xee || (marker < 0xe0 && marker !== 0xfe)) {
      kept.push(file.subarray(at, end))
    }
    at = end
  }
  return Buffer.concat([...kept, file.subarray(at)])
}

const pngChunks = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]
const webpChunks = ["VP8X", "VP8 ", "VP8L", "ALPH"]

const chunksNamed = (file: Buffer, type: "image/png" | "image/webp", names: ReadonlyArray<string>) =>
  [...chunksOf(file, type)].filter((chunk) => names.includes(chunk.type)).map(({ whole }) => whole)

const barePng = (file: Buffer): Buffer =>
  Buffer.concat([file.subarray(0, 8), ...chunksNamed(file, "image/png", pngChunks)])

/** WebP (RFC 9649, section 2.7): the header has the size, and `VP8X` has flags for the chunks that exist. */
const bareWebp = (file: Buffer): Buffer => {
  const copy = Buffer.concat([file.subarray(0, 12), ...chunksNamed(file, "image/webp", webpChunks)])
  copy.writeUInt32LE(copy.length - 8, 4)
  // Only the transparency flag stays; the profile, Exif data and XMP are removed.
  if (copy.toString("latin1", 12, 16) === "VP8X") copy.writeUInt8(copy.readUInt8(20) & 0x10, 20)
  return copy
}

const bare = { "image/jpeg": bareJpeg, "image/png": barePng, "image/webp": bareWebp }

/** The picture alone. Without a profile, readers assume sRGB. */
export const withoutProfile = (file: Buffer, type: keyof typeof bare): Buffer => bare[type](file)
