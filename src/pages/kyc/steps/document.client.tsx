import { useState } from "preact/hooks"
import { type DocumentDraft, type FileAnswer, readDocument, sidesOf } from "../answers.client.ts"
import { zoneCountry } from "../countries.client.ts"
import { lookForDuplicate } from "../duplicate.client.ts"
import type { Trouble } from "../flow.client.ts"
import { HandoffOffer } from "../handoff/offer.client.tsx"
import { useI18n } from "../i18n.client.ts"
import { norm } from "../identity.client.ts"
import type { Json } from "../json.client.ts"
import { readZone } from "../mrz.client.ts"
import { Photo } from "../photo.client.tsx"
import { TroubleAlert } from "../trouble.client.tsx"
import { Alert, Button, type Errors, useFlow } from "../ui.client.tsx"
import type { DocumentStep } from "../workflow.client.ts"
import { documentErrors } from "./document-errors.client.ts"
import { DocumentFields } from "./document-fields.client.tsx"
import { Shell, type StepProps } from "./shell.client.tsx"

/** What the zone's check digits came to, for the result. */
const zoneVerdict = (zone: string): "ok" | "bad" | "none" =>
  zone.trim() === "" ? "none" : readZone(zone)?.valid === true ? "ok" : "bad"

/** A document: which, its number and expiry, and a photo of each side. */
export const DocumentPage = ({ draft: given, state, step }: StepProps<DocumentStep>) => {
  const i18n = useI18n()
  const flow = useFlow()
  const { t } = i18n
  const { dedup: policy } = flow.session.config
  const looksForDuplicates = step.asksNumber && (step.dedup ?? policy.enabled)
  const [draft, setDraft] = useState<DocumentDraft>(() => {
    const read = readDocument(given)
    const only = step.documents.length === 1 ? step.documents[0] : undefined
    return {
      ...read,
      type: read.type === "" ? (only ?? "") : read.type,
      country: read.country === "" && step.countries.length === 1 ? (step.countries[0] ?? "") : read.country,
      number: read.number === "" ? (flow.secret(step.id) ?? "") : read.number
    }
  })
  const [errors, setErrors] = useState<Errors>(new Map())
  const [checking, setChecking] = useState(false)
  const [trouble, setTrouble] = useState<Trouble>()
  const [duplicate, setDuplicate] = useState<Json>()

  const change = (part: Partial<DocumentDraft>) => {
    const next = { ...draft, ...part }
    setDraft(next)
    setDuplicate(undefined)
    flow.drafts.set(step.id, { ...next })
  }

  /** A zone whose check digits are right fills in what it says. */
  const changeZone = (zone: string) => {
    const read = readZone(zone)
    if (read?.valid !== true) return change({ zone })
    const country = zoneCountry(read.country)
    change({
      zone,
      number: read.number,
      ...(read.expiry === undefined ? undefined : { expiry: read.expiry }),
      ...(country === undefined ? undefined : { country })
    })
  }

  const sides = draft.type === "" ? [] : sidesOf(step.sides[draft.type])
  const fileOf = (side: string) => draft.files.find((file) => file.side === side)
  const changeFile = (side: string, file: FileAnswer | undefined) => {
    const others = draft.files.filter((other) => other.side !== side)
    change({ files: file === undefined ? others : [...others, { ...file, side }] })
  }

  const answer = (): Json => ({
    type: draft.type,
    country: draft.country,
    ...(step.asksNumber && !looksForDuplicates ? { number: draft.number.trim() } : undefined),
    ...(looksForDuplicates ? { last3: norm(draft.number).slice(-3) } : undefined),
    ...(step.asksExpiry ? { expiry: draft.expiry } : undefined),
    mrzCheckDigits: zoneVerdict(draft.zone),
    files: draft.files.filter(({ side }) => sides.some((asked) => asked === side))
  })

  const submitChecked = async () => {
    flow.keepSecret(step.id, draft.number.trim())
    setChecking(true)
    setTrouble(undefined)
    const { country, number, type } = draft
    const found = await lookForDuplicate(flow.session, flow.api, { country, number, type })
    setChecking(false)
    if (!found.ok) {
      if (!flow.takeFailure(found.failure)) setTrouble(found.failure)
      return
    }
    const { keyHash, matchFound } = found.value
    const withDedup = (action: string): Json => ({ ...answer(), keyHash, dedup: { matchFound, action } })
    if (matchFound === false || policy.onMatch === "silent") return flow.submit(step, withDedup("none"))
    if (matchFound === true && policy.onMatch === "warn") return setDuplicate(withDedup("warned"))
    if (matchFound === true && policy.onMatch === "block") {
      return flow.submit(step, withDedup("blocked"), "DUPLICATE_IDENTITY")
    }
    return flow.submit(step, withDedup("review"))
  }

  const submit = () => {
    const wrong = documentErrors(step, draft, i18n)
    setErrors(wrong)
    if (wrong.size > 0) return
    if (looksForDuplicates) void submitChecked()
    else void flow.submit(step, answer())
  }

  return (
    <Shell
      step={step}
      state={state}
      title={t("documentTitle")}
      intro={t("documentIntro")}
      errors={errors}
      action={t("continue")}
      onSubmit={submit}
      busy={checking}
    >
      <DocumentFields step={step} draft={draft} errors={errors} onChange={change} onZone={changeZone} />
      <HandoffOffer />
      {sides.map((side) => (
        <Photo
          key={`${draft.type}-${side}`}
          id={`${step.id}-${side}`}
          label={draft.type === "passport" ? t("sidePhoto") : t(side === "front" ? "sideFront" : "sideBack")}
          instruction={t("photoHint")}
          facing="environment"
          value={fileOf(side)}
          error={errors.get(`${step.id}-${side}`)}
          onChange={(file) => changeFile(side, file)}
        />
      ))}
      {trouble === undefined ? null : <TroubleAlert trouble={trouble} onRetry={submit} />}
      {duplicate === undefined ? null : (
        <Alert tone="warning" title={t("duplicateTitle")}>
          <p>{t("duplicateText")}</p>
          <div class="row">
            <Button busy={state.saving} onClick={() => flow.submit(step, duplicate)}>
              {t("duplicateGoOn")}
            </Button>
            <Button
              onClick={() => {
                setDuplicate(undefined)
                document.getElementById(`${step.id}-number`)?.focus()
              }}
            >
              {t("duplicateCheck")}
            </Button>
          </div>
        </Alert>
      )}
    </Shell>
  )
}
