/** Reads the text in the barcode of a driving licence (AAMVA DL/ID Card Design Standard). */
import type { BarcodeSeen } from "./look-model.ts"

const dayOf = (date: Date | null | undefined): string | undefined => {
  if (date == null || Number.isNaN(date.getTime())) return undefined
  // The parser makes midnights of the local time zone.
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((value) => String(value).padStart(2, "0"))
  return `${date.getFullYear()}-${month}-${day}`
}

const textOf = (value: string | null | undefined): string | undefined => value?.trim() || undefined

type Parse = typeof import("aamva-parser")["parse"]

/** What the barcode of a North American driving licence says; undefined if the text is not that of one. */
export const licenceFields = (parse: Parse, text: string): BarcodeSeen["fields"] => {
  // After a mark and three control characters.
  if (!/ANSI |AAMVA/.test(text.slice(0, 12))) return undefined
  const {
    countryCode,
    dateOfBirth,
    documentId,
    driversLicenseId,
    expirationDate,
    firstName,
    lastName,
    middleName,
    state
  } = parse(text)
  const names = [textOf(firstName), textOf(middleName)].filter((name) => name !== undefined)
  const fields = {
    document_number: textOf(driversLicenseId) ?? textOf(documentId),
    issuer: textOf(state),
    country: textOf(countryCode),
    surname: textOf(lastName),
    given_names: textOf(names.join(" ")),
    birth_date: dayOf(dateOfBirth),
    expiry_date: dayOf(expirationDate)
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
