/** Images as cameras write them: with metadata, rotated, or with a false size. */
import { deflateSync } from "node:zlib"
import { noise, pngChunk } from "./pictures.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

/** A word that only occurs in metadata. */
export const secretPlace = "59.4370N 24.7536E"

/** A TIFF structure (Exif) with an orientation and the place where the picture was taken. */
const tiff = (orientation = 1): Buffer => {
  const directory = Buffer.alloc(8 + 2 + 2 * 12 + 4)
  directory.write("MM\0*\0\0\0\x08", "latin1")
  directory.writeUInt16BE(2, 8)
  // Orientation: one SHORT.
  directory.writeUInt16BE(0x0112, 10)
  directory.writeUInt16BE(3, 12)
  directory.writeUInt32BE(1, 14)
  directory.writeUInt16BE(orientation, 18)
  // ImageDescription: text after the directory.
  directory.writeUInt16BE(0x010e, 22)
  directory.writeUInt16BE(2, 24)
  directory.writeUInt32BE(secretPlace.length + 1, 26)
  directory.writeUInt32BE(directory.length, 30)
  return Buffer.concat([directory, latin(`${secretPlace}\0`)])
}

/** Inserts a JPEG segment after the first two bytes. */
const withSegment = (jpeg: Uint8Array, marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)])
}

export const jpegWith = (jpeg: Uint8Array, orientation?: number): Buffer =>
  withSegment(jpeg, 0xe1, Buffer.concat([latin("Exif\0\0"), tiff(orientation)]))

/** Adds the same Exif data and a comment to a PNG, before its pixels. */
export const pngWith = (png: Buffer, orientation: number): Buffer => {
  const behindHeader = 8 + 25
  return Buffer.concat([
    png.subarray(0, behindHeader),
    pngChunk("eXIf", tiff(orientation)),
    pngChunk("tEXt", latin(`Comment\0${secretPlace}`)),
    png.subarray(behindHeader)
  ])
}

const riffChunk = (type: string, data: Buffer): Buffer => {
  const head = latin(`${type}\0\0\0\0`)
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

/** Turns a simple WebP into an extended one with the same Exif data. */
export const webpWith = (webp: Uint8Array, width: number, height: number, orientation?: number): Buffer => {
  const extended = Buffer.alloc(10)
  // The flag for Exif data.
  extended.writeUInt8(8, 0)
  extended.writeUIntLE(width - 1, 4, 3)
  extended.writeUIntLE(height - 1, 7, 3)
  const chunks = Buffer.concat([
    latin("WEBP"),
    riffChunk("VP8X", extended),
    Buffer.from(webp.subarray(12)),
    riffChunk("EXIF", tiff(orientation))
  ])
  return riffChunk("RIFF", chunks)
}

/** The same noise in each format, 48 pixels wide and 32 high. */
export const photos = async () => {
  const png = noise(48, 32)
  const image = () => new Bun.Image(png)
  return { png, jpeg: await image().jpeg().bytes(), webp: await image().webp({ lossless: true }).bytes() }
}

/**
 * A square PNG of noise in 256 colours (W3C PNG, 11.2.2), one byte per pixel. Re-encoded, a pixel takes
 * three.
 */
export const noiseInColours = (edge: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(edge, 0)
  header.writeUInt32BE(edge, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const rows = Buffer.alloc((edge + 1) * edge)
  for (let y = 0; y < edge; y++) {
    crypto.getRandomValues(rows.subarray(y * (edge + 1) + 1, (y + 1) * (edge + 1)))
  }
  const colours = Buffer.alloc(3 * 256)
  crypto.getRandomValues(colours)
  return Buffer.concat([
    latin("\x89PNG\r\n\x1a\n"),
    pngChunk("IHDR", header),
    pngChunk("PLTE", colours),
    pngChunk("IDAT", deflateSync(rows, { level: 0 })),
    pngChunk("IEND", Buffer.alloc(0))
  ])
}

/** A PNG that declares that size but has no pixels. */
export const claimingPng = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    latin("\x89PNG\r\n\x1a\n"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", Buffer.alloc(8)),
    pngChunk("IEND", Buffer.alloc(0))
  ])
}

const segment = (marker: number, ...data: ReadonlyArray<number>): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, Buffer.from(data)])
}

/**
 * A small JPEG (ITU T.81) that takes the most memory per pixel: progressive, four full-resolution colour
 * components, and rotated.
 */
export const hungryJpeg = (edge: number): Buffer => {
  const colours = [1, 2, 3, 4]
  const [high, low] = [edge >> 8, edge & 0xff]
  const once = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    // Adobe's marker for CMYK.
    segment(0xee, ...latin("Adobe"), 0, 100, 0, 0, 0, 0, 0),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, high, low, high, low, 4, ...colours.flatMap((colour) => [colour, 0x11, 0])),
    // A single one-bit code: each block is as bright as the previous one.
    segment(0xc4, 0, 1, ...Array<number>(15).fill(0), 0),
    segment(0xda, 4, ...colours.flatMap((colour) => [colour, 0]), 0, 0, 0),
    Buffer.alloc(((edge / 8) ** 2 * 4) / 8),
    Buffer.from([0xff, 0xd9])
  ])
  return jpegWith(once, 6)
}

/** Changes the size in the frame header of a JPEG (ITU T.81, B.2.2). */
export const claimingJpeg = (jpeg: Uint8Array, width: number, height: number): Buffer => {
  const copy = Buffer.from(jpeg)
  const frame = copy.indexOf(Buffer.from([0xff, 0xc0]))
  copy.writeUInt16BE(height, frame + 5)
  copy.writeUInt16BE(width, frame + 7)
  return copy
}

/** A lossless WebP (RFC 9649, section 3.4) that declares the maximum size, 16,384 by 16,384 pixels. */
export const claimingWebp = (webp: Uint8Array): Buffer => {
  const copy = Buffer.from(webp)
  // 14 bits each, after the signature.
  const size = copy.indexOf("VP8L") + 9
  copy.writeUInt32LE((copy.readUInt32LE(size) | 0x0fff_ffff) >>> 0, size)
  return copy
}
