/** Fills in the fields of a document with what was read in its photo. */
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
