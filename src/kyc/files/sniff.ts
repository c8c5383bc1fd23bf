/**
 * Recognises a file's type by its first bytes, more strictly than browsers do: a file with a valid signature
 * can still be a script or a page (a polyglot), which the header after the signature often shows.
 */
import { maxFileBytes } from "./examination-model.ts"
import type { FileType } from "./model.ts"

/** How many bytes determine the type. A shorter file is judged by all its bytes. */
export const sniffedBytes = 20

type Check = (head: Buffer) => boolean

const ascii = (head: Buffer, from: number, to: number): string => head.toString("latin1", from, to)

/**
 * ITU T.81, Annex B. A JFIF segment's length follows from its thumbnail; that of a JavaScript comment in its
 * place (`FF E0 2F 2A`) does not.
 */
const isJpeg: Check = (head) => {
  if (head.length < 4 || head.readUIntBE(0, 3) !== 0xffd8ff) return false
  const marker = head.readUInt8(3)
  if (marker === 0xe0) {
    if (head.length < 20 || ascii(head, 6, 11) !== "JFIF\0") return false
    return head.readUInt16BE(4) === 16 + 3 * head.readUInt8(18) * head.readUInt8(19)
  }
  if (marker === 0xe1) return /^(?:Exif\0|http:\/\/)/.test(ascii(head, 6, 13))
  // Other application data, quantization tables, a comment, Huffman tables, or frames.
  return (marker > 0xe1 && marker <= 0xef) || marker === 0xdb || (marker >= 0xc0 && marker <= 0xc4)
}

/** PNG (W3C), sections 5.2 and 11.2.1: the signature, and the header chunk of 13 bytes. */
const isPng: Check = (head) => head.length >= 16 && ascii(head, 0, 16) === "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"

/** RFC 9649, section 2.4. The size in the header must not exceed the largest accepted file. */
const isWebp: Check = (head) =>
  head.length >= 16 &&
  ascii(head, 0, 4) === "RIFF" &&
  head.readUInt32LE(4) <= maxFileBytes &&
  /^WEBPVP8[ LX]$/.test(ascii(head, 8, 16))

/** ISO 32000-2, section 7.5.2. Readers tolerate bytes before the header; this check does not. */
const isPdf: Check = (head) => /^%PDF-[12]\.\d[\r\n \t]/.test(ascii(head, 0, 9))

const checks: ReadonlyArray<readonly [FileType, Check]> = [
  ["image/jpeg", isJpeg],
  ["image/png", isPng],
  ["image/webp", isWebp],
  ["application/pdf", isPdf]
]

/** The type that begins with these bytes, or undefined if no known type does. */
export const sniff = (head: Uint8Array): FileType | undefined => {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  return checks.find(([, holds]) => holds(bytes))?.[0]
}
