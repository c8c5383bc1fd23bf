/** Reads the machine-readable zone in a picture. */
import type { Grey } from "../../../kyc/checks/picture.ts"
import { zoneLines } from "../../../kyc/checks/zone-lines.ts"
import type { ZoneFormat } from "../../../kyc/checks/zone-model.ts"
import { zoneNetwork } from "../../../kyc/checks/zone-network.ts"
import { candidatesIn, isBetter, readCandidate } from "../../../kyc/checks/zone-reading.ts"
import type { Answer } from "./messages.ts"

const nothing: Answer = { fields: {}, whole: false }

/** Below this, a character may be another one. */
const leastSure = 0.8

/** @param weights of `zone-reader`, as its `pack.ts` writes them */
export const zoneReader = (weights: ArrayBuffer) => {
  const network = zoneNetwork(weights)

  return async (picture: Grey, formats: ReadonlyArray<ZoneFormat>): Promise<Answer> => {
    const expected = { thisYear: new Date().getFullYear(), formats, mayBeTurned: false }
    let best: Awaited<ReturnType<typeof readCandidate>>
    for (const candidate of candidatesIn(zoneLines(picture))) {
      const found = await readCandidate(network, picture, candidate, expected)
      if (found !== undefined && isBetter(found, best)) best = found
      if (best?.zone.wrong.length === 0) break
    }
    if (best === undefined) return nothing
    const { confidence, lines, zone } = best
    const { digits, fields, wrong } = zone
    // Two of five may be right by chance: one in a hundred.
    if (digits - wrong.length < 2) return nothing
    const sure = (field: keyof typeof fields) => (confidence[field] >= leastSure ? fields[field] : undefined)
    const protectedBy = (digit: (typeof wrong)[number], value: string | undefined) =>
      wrong.includes(digit) ? undefined : value
    return {
      whole: wrong.length === 0,
      fields: {
        number: protectedBy("document_number", fields.document_number),
        expiry: protectedBy("expiry_date", fields.expiry_date),
        dateOfBirth: protectedBy("birth_date", fields.birth_date),
        country: sure("issuer"),
        nationality: sure("nationality"),
        familyName: sure("surname"),
        givenName: sure("given_names"),
        zone: wrong.length === 0 ? lines.join("\n") : undefined
      }
    }
  }
}
