import { useEffect, useRef, useState } from "preact/hooks"
import { norm } from "../../../kyc/dedup/identity-model.ts"
import { type Json, text } from "../../json.ts"
import { looksForDocument } from "../dedup/duplicate.ts"
import { DuplicateNotice, useDuplicateCheck } from "../dedup/duplicate-check.tsx"
import type { Picture } from "../files/image.ts"
import { Photo } from "../files/photo.tsx"
import { HandoffOffer } from "../handoffs/offer.tsx"
import { useI18n } from "../i18n/i18n.ts"
import type { StepOf } from "../instances/workflow.ts"
import type { Fields } from "../reading/messages.ts"
import { useReading } from "../reading/use-reading.ts"
import { useErrors, useFlow } from "../screens/parts.tsx"
import {
  type DocumentDraft,
  type FileAnswer,
  photosOf,
  readDocument,
  readFiles
} from "../sessions/answers.ts"
import { zoneCountry } from "./countries.ts"
import { documentErrors, sideLabel } from "./document-errors.ts"
import { DocumentFields, DocumentTypes } from "./document-fields.tsx"
import { filledFrom, formFilledFrom } from "./document-filling.ts"
import { readZone } from "./mrz.ts"
import { Shell, type StepProps } from "./step-layout.tsx"

/**
 * Scrolls what comes next into view, the most important last, for those who tap. Who uses the keyboard, or types, stays where their focus is.
 */
const bringIntoView = (...elements: ReadonlyArray<Element | null>): void => {
  if (document.activeElement?.matches(":focus-visible") === true) return
  for (const element of elements) element?.scrollIntoView({ block: "nearest" })
}

const zoneVerdict = (zone: string): "ok" | "bad" | "none" =>
  zone.trim() === "" ? "none" : readZone(zone)?.valid === true ? "ok" : "bad"

/** What a valid zone says, for those who compare it with the answers; of the number, no more than is stored of it otherwise. */
const readFrom = (zone: string): Json => {
  const read = readZone(zone)
  if (read?.valid !== true) return {}
  const { country, expiry, number } = read
  return { read: { country: zoneCountry(country) ?? country, expiry, last3: norm(number).slice(-3) } }
}

/** Before any input, the only possible choices. */
const draftOf = (step: StepOf<"document">, given: Json, secret: string | undefined): DocumentDraft => {
  const read = readDocument(given)
  const onlyCountry = step.countries.length === 1 ? step.countries[0] : undefined
  return {
    ...read,
    type: read.type || ((step.documents.length === 1 ? step.documents[0] : undefined) ?? ""),
    country: text(given.country) ?? onlyCountry ?? "",
    // A number that the end user has cleared stays empty.
    number: typeof given.number === "string" ? given.number : (secret ?? "")
  }
}

export const DocumentPage = ({ draft: given, state, step }: StepProps<"document">) => {
  const i18n = useI18n()
  const flow = useFlow()
  const { t } = i18n
  const looksForDuplicates = looksForDocument(flow.session, step)
  const check = useDuplicateCheck(step)
  const draft = draftOf(step, given, flow.documentNumber(step.id))
  const { errors, find, clearError, review } = useErrors()
  /** By the one camera that takes all sides of a card. */
  const [taken, setTaken] = useState<Readonly<Partial<Record<string, Picture>>>>({})

  const change = (part: Partial<DocumentDraft>) => {
    // An error about the type links to the first choice.
    clearError(...Object.keys(part).map((name) => `${step.id}-${name === "type" ? step.documents[0] : name}`))
    flow.edit(step, (before) => ({ ...before, ...part }))
  }

  /** A valid zone fills in the other fields. */
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

  const filled = useRef<Partial<DocumentDraft>>({})
  const [isFilled, setFilled] = useState(false)
  /** Whether the server reads the photo. */
  const [isAwaited, setAwaited] = useState(false)
  const fill = (read: Fields) => {
    for (const later of state.steps.slice(state.steps.findIndex(({ id }) => id === step.id))) {
      if (later.type !== "form" || Object.hasOwn(state.answers, later.id)) continue
      const known = formFilledFrom(read, later, state.drafts[later.id] ?? {})
      if (Object.keys(known).length > 0) flow.fill(later, known)
    }
    const part = filledFrom(read, step, draft, filled.current)
    if (Object.keys(part).length === 0) return
    filled.current = { ...filled.current, ...part }
    setFilled(true)
    change(part)
  }
  const reading = useReading(draft.type, draft.country === "" ? step.countries : [draft.country], {
    read: fill,
    askServer: flow.readOnServer,
    wait: setAwaited
  })

  const sides = draft.type === "" ? [] : step.sidesOf(draft.type)
  const fileOf = (side: string) => photosOf(draft).find((file) => file.side === side)
  const controlId = (side: string) => `${step.id}-${side}`
  /** What the end user has just chosen or taken: what comes next may be below the screen. */
  const [done, setDone] = useState<"photos" | "type">()
  const details = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (done === "type") bringIntoView(document.getElementById(controlId(sides[0] ?? "")))
    if (done === "photos") {
      const form = details.current?.closest("form")
      bringIntoView(form?.querySelector("[type=submit]") ?? null, details.current)
    }
    setDone(undefined)
  }, [done])
  /** Each type of document has sides of its own. A side that has its file needs no second one. */
  const takenKey = (key: string) => `${draft.type} ${key}`
  const takenOf = (side: string) =>
    fileOf(side) === undefined ? taken[takenKey(controlId(side))] : undefined
  /** A zone is on the page with the photo of a passport, and on the back of a card. */
  const readingOf = (side: string) => (side === sides.at(-1) ? reading : undefined)
  const changeFile = (side: string, file: FileAnswer) => {
    clearError(controlId(side))
    flow.edit(step, (before) => {
      const others = readFiles(before.files).filter(
        (other) => other.side !== side || (other.document ?? draft.type) !== draft.type
      )
      return { ...before, files: [...others, { ...file, side, document: draft.type }] }
    })
  }

  const answer = (): Json => ({
    type: draft.type,
    country: draft.country,
    ...(step.asksNumber && !looksForDuplicates ? { number: draft.number.trim() } : undefined),
    ...(looksForDuplicates ? { last3: norm(draft.number).slice(-3) } : undefined),
    ...(step.asksExpiry ? { expiry: draft.expiry } : undefined),
    mrzCheckDigits: zoneVerdict(draft.zone),
    ...readFrom(draft.zone),
    files: photosOf(draft).filter(({ side }) => sides.some((asked) => asked === side))
  })

  const submit = () => {
    const wrong = documentErrors(step, draft, i18n)
    find(wrong)
    if (wrong.size > 0) return
    if (!looksForDuplicates) return void flow.submit(step, answer())
    const { country, number, type } = draft
    void check.submit({ kind: "document", country, number, type }, (found) => {
      // Not before the answer with its key hash: the end user may go back to the answer of before.
      flow.keepDocumentNumber(step.id, number.trim())
      return { ...answer(), ...found }
    })
  }

  return (
    <Shell intro={t("documentIntro")} review={review} onSubmit={submit} busy={check.checking}>
      {step.documents.length === 1 ? null : (
        <DocumentTypes
          step={step}
          draft={draft}
          errors={errors}
          onChange={(part) => {
            change(part)
            setDone("type")
          }}
        />
      )}
      <HandoffOffer />
      {sides.map((side, index) => (
        <Photo
          key={`${draft.type}-${side}`}
          id={controlId(side)}
          label={sideLabel(draft.type, side, i18n)}
          instruction={t("photoHint")}
          facing="environment"
          guide={draft.type === "passport" ? "page" : "card"}
          more={
            fileOf(side) === undefined
              ? sides
                  .slice(index + 1)
                  .filter((other) => fileOf(other) === undefined && takenOf(other) === undefined)
                  .map((other) => ({
                    key: controlId(other),
                    instruction: t("turnCard"),
                    reading: readingOf(other)
                  }))
              : []
          }
          onMore={(key, picture) => setTaken((before) => ({ ...before, [takenKey(key)]: picture }))}
          taken={takenOf(side)}
          value={fileOf(side)}
          error={errors.get(controlId(side))}
          reading={readingOf(side)}
          onSend={() => {
            if (side === sides.at(-1)) setDone("photos")
          }}
          onChange={(file) => changeFile(side, file)}
        />
      ))}
      {draft.type === "" ? null : (
        <DocumentFields
          step={step}
          draft={draft}
          errors={errors}
          heading={details}
          words={isAwaited ? "documentFieldsWaiting" : isFilled ? "documentFieldsRead" : "documentFieldsHint"}
          onChange={change}
          onZone={changeZone}
        />
      )}
      <DuplicateNotice check={check} kind="document" onRetry={submit} controlId={`${step.id}-number`} />
    </Shell>
  )
}
