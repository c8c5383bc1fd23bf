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

const box = (type: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  const head = latin(`\0\0\0\0${type}`)
  head.writeUInt32BE(body.length + 8, 0)
  return Buffer.concat([head, body])
}

const fullBox = (type: string, version: number, ...parts: ReadonlyArray<Buffer>): Buffer =>
  box(type, Buffer.from([version, 0, 0, 0]), ...parts)

const words = (...numbers: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(2 * numbers.length)
  for (const [index, number] of numbers.entries()) bytes.writeUInt16BE(number, 2 * index)
  return bytes
}

const longs = (...numbers: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * index)
  return bytes
}

/** An Exp-Golomb coded number as bits (ITU-T H.265, 9.2). */
const coded = (number: number): string => {
  const bits = (number + 1).toString(2)
  return "0".repeat(bits.length - 1) + bits
}

/**
 * A sequence parameter set (ITU-T H.265, 7.3.2.2) up to its height, with this many sub-layers that have their
 * own profile.
 */
export const parameterSet = (width: number, height: number, subLayers = 0): Buffer => {
  const bits = [
    `0000${subLayers.toString(2).padStart(3, "0")}1`,
    "0".repeat(96),
    ...(subLayers === 0 ? [] : ["11".repeat(subLayers).padEnd(16, "0"), "0".repeat(96 * subLayers)]),
    ...[0, 1, width, height].map(coded)
  ].join("")
  const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2))
  // A 3 keeps zeros from looking like a start code.
  const escaped = Buffer.from(bytes)
    .toString("latin1")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are bytes
    .replaceAll(/\0\0(?=[\0-\x03])/g, "\0\0\x03")
  return Buffer.concat([Buffer.from([33 << 1, 1]), latin(escaped), Buffer.from([0x80])])
}

/** HEVC data: a length precedes each unit. */
export const hevc = (...units: ReadonlyArray<Buffer>): Buffer =>
  Buffer.concat(units.flatMap((unit) => [longs(unit.length), unit]))

/** A unit of an intra picture, with arbitrary content. */
export const pictureUnit = (pixels: Buffer): Buffer => Buffer.concat([Buffer.from([19 << 1, 1]), pixels])

/**
 * The decoder configuration (ISO/IEC 14496-15, 8.3.3.1): the parameter set and a unit with supplemental
 * information.
 */
const hvcC = (set: Buffer): Buffer => {
  const units = [set, Buffer.concat([Buffer.from([39 << 1, 1]), latin("how it is coded")])]
  return box(
    "hvcC",
    Buffer.concat([Buffer.alloc(21), Buffer.from([3, units.length])]),
    ...units.map((unit) =>
      Buffer.concat([unit.subarray(0, 1).map((byte) => byte >> 1), words(1, unit.length), unit])
    )
  )
}

interface HeicOptions {
  /** The size in the `ispe` property, which readers show. */
  readonly width?: number
  readonly height?: number
  /** The size in the parameter set; by default that of the property. */
  readonly set?: Buffer
  /** Placeholder for the pixels, which nothing here decodes. */
  readonly pixels?: Buffer
  /** The picture's data; by default the pixels as one unit. */
  readonly data?: Buffer
  /** The item type of the picture. */
  readonly type?: string
  /** The version of the item boxes. From 3 on, ids have four bytes. */
  readonly itemVersion?: 2 | 3
  /** How many bytes of the following data the picture also claims. */
  readonly overlap?: number
  /** Whether the item box also declares the Exif item as a picture. */
  readonly twice?: boolean
}

/**
 * A HEIC (ISO/IEC 23008-12) as phones write it: a picture; Exif data and XMP as named items; a description as
 * a property; a named handler; a reference to external data; and a vendor's own box.
 */
export const heic = ({
  height = 32,
  itemVersion = 2,
  overlap = 0,
  pixels = latin("the pixels"),
  data = hevc(pictureUnit(pixels)),
  twice = false,
  type = "hvc1",
  width = 48,
  set = parameterSet(width, height)
}: HeicOptions = {}): Buffer => {
  const ftyp = box("ftyp", latin("heic"), longs(0), latin("mif1heic"))
  const exif = Buffer.concat([longs(0), tiff()])
  const xmp = latin(`<x:xmpmeta>${secretPlace}</x:xmpmeta>`)
  const infe = (id: number, type: string, called = "") =>
    fullBox(
      "infe",
      itemVersion,
      ...(itemVersion === 2 ? [words(id, 0)] : [longs(id), words(0)]),
      latin(`${type}${secretPlace}\0${called}`)
    )
  const infes = [
    infe(1, type),
    infe(2, "Exif"),
    infe(3, "mime", `text/${secretPlace}\0`),
    ...(twice ? [infe(2, "hvc1")] : [])
  ]
  const meta = (offset: number) =>
    fullBox(
      "meta",
      0,
      fullBox("hdlr", 0, longs(0), latin("pict"), longs(0, 0, 0), latin(`${secretPlace}\0`)),
      box("dinf", fullBox("dref", 0, longs(1), fullBox("url ", 0, latin(`https://${secretPlace}\0`)))),
      fullBox("pitm", 0, words(1)),
      fullBox("iinf", 0, words(infes.length), ...infes),
      fullBox(
        "iloc",
        0,
        words(0x4400, 3),
        ...[data.length, exif.length, xmp.length].map((length, index, lengths) =>
          Buffer.concat([
            words(index + 1, 0, 1),
            longs(
              offset + lengths.slice(0, index).reduce((sum, one) => sum + one, 0),
              length + (index === 0 ? overlap : 0)
            )
          ])
        )
      ),
      box(
        "iprp",
        box(
          "ipco",
          hvcC(set),
          fullBox("ispe", 0, longs(width, height)),
          box("irot", Buffer.from([1])),
          box("colr", latin(`prof${secretPlace}`)),
          fullBox("udes", 0, latin(`en\0${secretPlace}\0`))
        ),
        fullBox("ipma", 0, longs(1), words(1), Buffer.from([3, 0x81, 2, 0x83]))
      )
    )
  const offset = ftyp.length + meta(0).length + 8
  return Buffer.concat([
    ftyp,
    meta(offset),
    box("mdat", data, exif, xmp),
    box("uuid", latin(`sixteen bytes id${secretPlace}`))
  ])
}
