/** Which fields of what was seen in a photo the server gives back (docs/contract.md#readings). */
import { expect, it } from "vitest"
import type { Look } from "../../../src/kyc/checks/look-model.ts"
import { fieldsOf } from "../../../src/kyc/checks/readings-model.ts"

const nothing = { found: "nothing" } as const

type Seen = Extract<Look, { readonly found: "picture" }>

const seen: Seen = {
  found: "picture",
  quality: { width: 800, height: 600, sharpness: 100, brightness: 100, glare: 0 },
  hash: "5a".repeat(256),
  barcode: { found: "barcode", format: "PDF417", fields: { document_number: "D1234567" } },
  faces: nothing,
  vector: nothing,
  zone: {
    found: "zone",
    format: "TD3",
    lines: ["first", "second"],
    fields: { document_number: "L898902C3", surname: "ERIKSSON", birth_date: "1974-08-12" },
    confidence: { document_number: 0.4, surname: 0.9, birth_date: 0.9, expiry_date: 0.9 },
    check_digits: { right: 5, of: 5, wrong: [] },
    names_full: false
  }
}

it("leaves out what is uncertain, and takes a barcode where nothing of a zone is certain", () => {
  expect(fieldsOf(seen)).toMatchObject({
    document_number: null,
    surname: "ERIKSSON",
    birth_date: "1974-08-12",
    zone: null
  })
  const unsure: Seen = seen.zone.found === "zone" ? { ...seen, zone: { ...seen.zone, confidence: {} } } : seen
  expect(fieldsOf(unsure)).toMatchObject({ document_number: "D1234567", surname: null })
  expect(fieldsOf({ ...unsure, barcode: nothing })).toBeNull()
})
