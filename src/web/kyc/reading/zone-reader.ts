/** Reads the machine-readable zone in a picture. */
import type { Grey } from "../../../kyc/checks/sampling.ts"
import { candidatesIn } from "../../../kyc/checks/zone-candidates.ts"
import type { ZoneFormat } from "../../../kyc/checks/zone-layouts-model.ts"
import { zoneLines } from "../../../kyc/checks/zone-lines.ts"
import { leastSure, leastSureChecked } from "../../../kyc/checks/zone-model.ts"
import { zoneNetwork } from "../../../kyc/checks/zone-network.ts"
import { isBetter, isZone, readCandidate } from "../../../kyc/checks/zone-reading.ts"
import type { Answer } from "./messages.ts"

const nothing: Answer = { fields: {}, whole: false }

/** Fields with a check digit of their own. */
const checked = ["document_number", "birth_date", "expiry_date"] as const

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
    if (best === undefined || !isZone(best)) return nothing
    const { confidence, lines, zone } = best
    const { fields, wrong } = zone
    const sure = (field: keyof typeof fields) => (confidence[field] >= leastSure ? fields[field] : undefined)
    const isReliable = (field: (typeof checked)[number]) =>
      !wrong.includes(field) && confidence[field] >= leastSureChecked
    const reliable = (field: (typeof checked)[number]) => (isReliable(field) ? fields[field] : undefined)
    const whole = wrong.length === 0 && checked.every(isReliable)
    return {
      whole,
      fields: {
        number: reliable("document_number"),
        expiry: reliable("expiry_date"),
        dateOfBirth: reliable("birth_date"),
        country: sure("issuer"),
        nationality: sure("nationality"),
        familyName: sure("surname"),
        givenName: sure("given_names"),
        zone: whole ? lines.join("\n") : undefined
      }
    }
  }
}
