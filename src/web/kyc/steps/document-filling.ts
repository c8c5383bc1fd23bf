/** Fills in fields with what was read in the photo of a document. */
import { meaningOf } from "../../../kyc/checks/field-meanings-model.ts"
import { type Json, text } from "../../json.ts"
import type { StepOf } from "../instances/workflow.ts"
import type { Fields } from "../reading/messages.ts"
import type { DocumentDraft } from "../sessions/answers.ts"
import { zoneCountry } from "./countries.ts"

/**
 * What to change. What the end user has typed stays.
 *
 * @param filled what was filled in before, which another photo may change
 */
export const filledFrom = (
  read: Fields,
  step: StepOf<"document">,
  draft: DocumentDraft,
  filled: Partial<DocumentDraft>
): Partial<DocumentDraft> => {
  const country = read.country === undefined ? undefined : zoneCountry(read.country)
  const isOffered = country !== undefined && (step.countries.length === 0 || step.countries.includes(country))
  const wanted = {
    country: isOffered ? country : undefined,
    number: step.asksNumber ? read.number : undefined,
    expiry: step.asksExpiry ? read.expiry : undefined,
    zone: step.zone === "none" ? undefined : read.zone
  }
  const mayFill = (name: keyof typeof wanted) => draft[name] === "" || draft[name] === filled[name]
  const fitting = Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => value !== undefined && mayFill(name as keyof typeof wanted)
    )
  )
  // Lines that say something else than what was typed are no help.
  const others = ["country", "number", "expiry"] as const
  const contradicts = others.some(
    (name) => wanted[name] !== undefined && !mayFill(name) && draft[name] !== wanted[name]
  )
  const { zone, ...rest } = fitting
  return contradicts || zone === undefined ? rest : { ...rest, zone }
}

/** Zones have capital letters only. */
const asName = (name: string | undefined): string | undefined =>
  name?.toLowerCase().replace(/(?<=^|[ '-])\p{Letter}/gu, (letter) => letter.toUpperCase())

/** What to change in a form that is still to come: fields that ask for what was read, and are empty. */
export const formFilledFrom = (read: Fields, step: StepOf<"form">, before: Json): Json => {
  const nationality = read.nationality === undefined ? undefined : zoneCountry(read.nationality)
  const values = {
    given_names: asName(read.givenName),
    surname: asName(read.familyName),
    birth_date: read.dateOfBirth,
    nationality
  }
  return Object.fromEntries(
    step.fields.flatMap((field) => {
      const meaning = meaningOf(field)
      const value = meaning === undefined ? undefined : values[meaning]
      const isOffered =
        field.type !== "country" || field.countries.length === 0 || field.countries.includes(value ?? "")
      return value === undefined || !isOffered || text(before[field.id]) !== undefined
        ? []
        : [[field.id, value]]
    })
  )
}
