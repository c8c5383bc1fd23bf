/** Pictures as end users choose them. */
import { deflateSync } from "node:zlib"
import type { Page } from "playwright-core"

/** A JPEG encoded by Chromium, with an added Exif segment that names a place. */
export const photoWithPlace = async (page: Page): Promise<Buffer> => {
  const encoded: string = await page.evaluate(() => {
    const canvas = document.createElement("canvas")
    canvas.width = 1600
    canvas.height = 1000
    const context = canvas.getContext("2d")
    for (let x = 0; x < 1600; x += 20) {
      if (context === null) break
      context.fillStyle = x % 40 === 0 ? "#fff" : "#345"
      context.fillRect(x, 0, 20, 1000)
    }
    return canvas.toDataURL("image/jpeg").split(",")[1] ?? ""
  })
  const jpeg = Buffer.from(encoded, "base64")
  const exif = Buffer.from("Exif\0\0GPSLatitude 59.4370", "latin1")
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif])
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])
}

/** A square PNG of one colour, without any sharp detail. */
export const plain = async (page: Page, colour: string, edge: number): Promise<Buffer> => {
  const encoded: string = await page.evaluate(
    ([colour, edge]) => {
      const canvas = document.createElement("canvas")
      canvas.width = edge
      canvas.height = edge
      const context = canvas.getContext("2d")
      if (context === null) throw new Error("nothing can be drawn")
      context.fillStyle = colour
      context.fillRect(0, 0, edge, edge)
      return canvas.toDataURL("image/png").split(",")[1] ?? ""
    },
    [colour, edge] as const
  )
  return Buffer.from(encoded, "base64")
}

/** A chunk of a PNG. */
export const pngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(Bun.hash.crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG of noise (W3C PNG, section 11), which does not compress: three bytes per pixel. */
export const noise = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits each for red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let at = 0; at < rows.length; at += 65_536) crypto.getRandomValues(rows.subarray(at, at + 65_536))
  for (let row = 0; row < height; row++) rows[row * (width * 3 + 1)] = 0
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows, { level: 0 })),
    pngChunk("IEND", Buffer.alloc(0))
  ])
}

/** A file in the form that `setInputFiles` takes. */
export const fileOf = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })
