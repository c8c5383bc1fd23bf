/** Reads the barcodes of North American driving licences beside the page. Nothing of it is sent anywhere. */
import { parse } from "aamva-parser"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"
import { licenceFields } from "../../../kyc/checks/licence.ts"
import { answerWith, nothing } from "./answering.ts"
import { pixelsOf } from "./pixels.ts"

/** In degrees: the library reads a barcode that is tilted by a few. */
const tilts = [0, 5, -5]

answerWith((wasmBinary) => {
  // By default, the library would fetch its program from another server.
  prepareZXingModule({ overrides: { wasmBinary } })
  return async ({ picture }) => {
    for (const tilt of tilts) {
      const pixels = pixelsOf(picture, tilt)
      if (pixels === undefined) return nothing
      const [found] = await readBarcodes(pixels, {
        formats: ["PDF417"],
        textMode: "Plain",
        tryHarder: true,
        maxNumberOfSymbols: 1
      })
      const fields = found?.isValid === true ? licenceFields(parse, found.text) : undefined
      if (fields === undefined) continue
      return {
        // The code corrects errors, and tells of those that it cannot correct.
        whole: true,
        fields: {
          number: fields.document_number,
          expiry: fields.expiry_date,
          country: fields.country,
          dateOfBirth: fields.birth_date,
          familyName: fields.surname,
          givenName: fields.given_names
        }
      }
    }
    return nothing
  }
})
