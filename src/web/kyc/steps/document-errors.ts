import { norm } from "../../../kyc/dedup/identity-model.ts"
import type { I18n } from "../i18n/i18n.ts"
import type { StepOf } from "../instances/workflow.ts"
import type { Errors } from "../screens/parts.tsx"
import { type DocumentDraft, photosOf } from "../sessions/answers.ts"
import { ageOn, today } from "./dates.ts"
import { readZone } from "./mrz.ts"

const zoneError = (step: StepOf<"document">, zone: string, { t }: I18n): string | undefined => {
  if (step.zone === "none") return undefined
  if (zone.trim() === "") {
    return step.zone === "required" ? t("errorRequired", { field: t("zone") }) : undefined
  }
  const read = readZone(zone)
  if (read === undefined) return t("zoneUnread")
  return read.valid ? undefined : t("zoneBad")
}

const expiryError = (expiry: string, { t }: I18n): string | undefined => {
  if (expiry === "") return t("errorRequired", { field: t("documentExpiry") })
  if (ageOn(expiry, new Date()) === undefined) return t("errorDate", { field: t("documentExpiry") })
  return expiry < today() ? t("documentExpired") : undefined
}

export const sideLabel = (type: DocumentDraft["type"], side: "front" | "back", { t }: I18n): string =>
  t(type === "passport" ? "sidePhoto" : side === "front" ? "sideFront" : "sideBack")

export const documentErrors = (step: StepOf<"document">, draft: DocumentDraft, i18n: I18n): Errors => {
  const { t } = i18n
  const found = new Map<string, string>()
  const note = (control: string, message: string | undefined) => {
    if (message !== undefined) found.set(`${step.id}-${control}`, message)
  }
  if (draft.type === "") {
    const [first = "passport"] = step.documents
    note(first, t("errorChoose", { field: t("documentType") }))
    // The rest is asked for once the type is known.
    return found
  }
  for (const side of step.sidesOf(draft.type)) {
    const there = photosOf(draft).some((file) => file.side === side)
    note(side, there ? undefined : t("photoMissing", { side: sideLabel(draft.type, side, i18n) }))
  }
  if (draft.country === "") note("country", t("errorChoose", { field: t("documentCountry") }))
  if (step.asksNumber && norm(draft.number) === "") {
    note("number", t("errorRequired", { field: t("documentNumber") }))
  }
  if (step.asksExpiry) note("expiry", expiryError(draft.expiry, i18n))
  note("zone", zoneError(step, draft.zone, i18n))
  return found
}
