/** Reads barcodes in photos: the PDF417 of driving licences (AAMVA), QR codes, DataMatrix. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { licenceFields } from "./licence.ts"
import type { BarcodeSeen } from "./look-model.ts"
import type { Picture } from "./picture.ts"
import { type Box, cutOut, type Grey } from "./sampling.ts"

const matrixFormats = ["QRCode", "DataMatrix"] as const

/** In degrees: how a PDF417 is turned further, in turn, if it cannot be read as it was found. The library reads it if it is tilted by a few. */
const tilts = [0, 2, -2, 4, -4]

/** Of the width of a PDF417, in pixels: more do not make it easier to read, and fewer are made to be more. */
const [widest, narrowest] = [1600, 1000]

/** Enlarging a photo further shows nothing more. */
const mostEnlarged = 2

/**
 * Reads a barcode in a photo: a PDF417 in one of the areas where it may be, the width of which is across the bars; otherwise a QR code or a
 * DataMatrix, wherever it is and however it is turned.
 */
export type BarcodeReader = (
  picture: Pick<Picture, "grey" | "small">,
  striped: ReadonlyArray<Box>
) => Promise<BarcodeSeen | undefined>

/** What the library reads: four bytes a pixel. */
const pixelsOf = ({ data, height, width }: Grey) => {
  const pixels = new Uint8ClampedArray(4 * width * height)
  for (let index = 0; index < width * height; index++) {
    pixels.fill(data[index] ?? 0, 4 * index, 4 * index + 3)
    pixels[4 * index + 3] = 255
  }
  return { data: pixels, width, height, colorSpace: "srgb" as const }
}

export const loadBarcodeReader = async (): Promise<BarcodeReader> => {
  const [{ prepareZXingModule, readBarcodes }, { parse }] = await Promise.all([
    import("zxing-wasm/reader"),
    import("aamva-parser")
  ])
  // By default, the library would fetch its binary from a server.
  const path = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm")
  prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(path)).buffer } })
  const options = {
    textMode: "Plain",
    tryHarder: true,
    tryInvert: false,
    tryDownscale: false,
    maxNumberOfSymbols: 1
  } as const
  const readStripes = async (picture: Grey, where: Box): Promise<BarcodeSeen | undefined> => {
    const scale = Math.min(mostEnlarged, widest / where.width, Math.max(1, narrowest / where.width))
    let without: BarcodeSeen | undefined
    for (const tilt of tilts) {
      const cut = cutOut(picture, { ...where, angle: where.angle + (tilt * Math.PI) / 180 }, scale)
      const [found] = await readBarcodes(pixelsOf(cut), { ...options, formats: ["PDF417"] })
      if (found === undefined || !found.isValid) continue
      const fields = licenceFields(parse, found.text)
      if (fields !== undefined) return { found: "barcode", format: "PDF417", fields }
      // A blurred PDF417 may be misread as another text. At another angle it may be read right.
      without ??= { found: "barcode", format: "PDF417" }
    }
    return without
  }
  const readMatrix = async (picture: Grey): Promise<BarcodeSeen | undefined> => {
    const [found] = await readBarcodes(pixelsOf(picture), { ...options, formats: [...matrixFormats] })
    const format = matrixFormats.find((one) => one === found?.format)
    return found?.isValid === true && format !== undefined ? { found: "barcode", format } : undefined
  }
  return async ({ grey, small }, striped) => {
    let without: BarcodeSeen | undefined
    for (const where of striped) {
      const read = await readStripes(grey, where)
      if (read?.fields !== undefined) return read
      without ??= read
    }
    return without ?? (await readMatrix(small))
  }
}
