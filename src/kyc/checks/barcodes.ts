/** Reads barcodes in photos: the PDF417 of driving licences (AAMVA), QR codes, DataMatrix. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { licenceFields } from "./licence.ts"
import type { BarcodeSeen } from "./look-model.ts"
import type { Grey, Picture } from "./picture.ts"

const formats = ["PDF417", "QRCode", "DataMatrix"] as const

/** In degrees. The library finds a PDF417 only if it is tilted by a few degrees at most; the others, however they are turned. */
const tilts = [0, 5, -5, 10, -10, 15, -15]

export type BarcodeReader = (picture: Picture) => Promise<BarcodeSeen | undefined>

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
  return async (picture) => {
    let without: BarcodeSeen | undefined
    for (const tilt of tilts) {
      const [found] = await readBarcodes(pixelsOf(await picture.tilted(tilt)), {
        formats: tilt === 0 ? [...formats] : ["PDF417"],
        textMode: "Plain",
        tryHarder: true,
        tryDownscale: tilt === 0,
        maxNumberOfSymbols: 1
      })
      const format = formats.find((one) => one === found?.format)
      if (found === undefined || format === undefined || !found.isValid) continue
      const fields = licenceFields(parse, found.text)
      if (fields !== undefined) return { found: "barcode", format, fields }
      // A blurred PDF417 may be misread as another text. At another angle it may be read right.
      without ??= { found: "barcode", format }
      if (format !== "PDF417") break
    }
    return without
  }
}
