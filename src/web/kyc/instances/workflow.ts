/** What a session's `instance_workflow` asks for, step by step; `{}` or a foreign shape asks for the usual. */

import { isObject, type Json, number, objects, oneOf, text, texts } from "../../json.ts"
import { type LocalText, localText, webAddress } from "./config.ts"
import { type Rules, readRules } from "./rules.ts"

interface Common {
  readonly id: string
  /** In place of the page's own heading for such a step. */
  readonly title: LocalText | undefined
  /** In place of what the page says beneath the heading. */
  readonly text: LocalText | undefined
  readonly optional: boolean
}

export interface ConsentItem {
  readonly id: string
  readonly required: boolean
  readonly text: LocalText | undefined
  readonly url: string | undefined
}

export interface Field {
  readonly id: string
  readonly type: "text" | "date" | "country" | "select"
  readonly label: LocalText | undefined
  readonly help: LocalText | undefined
  readonly required: boolean
  readonly autocomplete: string | undefined
  readonly inputmode: "text" | "numeric" | "tel" | "email" | undefined
  /** Characters. */
  readonly min: number
  readonly max: number
  /** Years before today, at least. */
  readonly minAge: number | undefined
  /** Years before today, at most. */
  readonly maxAge: number | undefined
  /** ISO 3166-1 alpha-3; empty for all. */
  readonly countries: ReadonlyArray<string>
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: LocalText | undefined }>
}

export const documentTypes = ["passport", "id_card", "driving_licence", "residence_permit"] as const
export type DocumentType = (typeof documentTypes)[number]

export interface ConsentStep extends Common {
  readonly type: "consent"
  readonly items: ReadonlyArray<ConsentItem>
}
export interface FormStep extends Common {
  readonly type: "form"
  readonly fields: ReadonlyArray<Field>
}
export interface DocumentStep extends Common {
  readonly type: "document"
  readonly documents: ReadonlyArray<DocumentType>
  /** ISO 3166-1 alpha-3; empty for all. */
  readonly countries: ReadonlyArray<string>
  readonly sides: Readonly<Record<DocumentType, number>>
  readonly asksNumber: boolean
  readonly asksExpiry: boolean
  readonly zone: "none" | "optional" | "required"
  /** Undefined: as the config has it. */
  readonly dedup: boolean | undefined
}
export interface SelfieStep extends Common {
  readonly type: "selfie"
  /** Movements that are asked for, besides the look into the camera. */
  readonly prompts: number
  readonly skipIfNoCamera: boolean
}
export interface UploadStep extends Common {
  readonly type: "upload"
  readonly maxFiles: number
}
export interface ReviewStep extends Common {
  readonly type: "review"
}
/** A step that this page is too old for. */
export interface UnknownStep extends Common {
  readonly type: "unknown"
}
export type Step = ConsentStep | FormStep | DocumentStep | SelfieStep | UploadStep | ReviewStep | UnknownStep

export interface Workflow {
  readonly id: string
  readonly version: number
  readonly steps: ReadonlyArray<Step>
  readonly rules: Rules
  /** The captcha is no step to be seen: it is solved in the background. */
  readonly captcha: boolean
}

/** What is gone through where an instance has no steps of its own. */
export const usualWorkflow = {
  id: "default",
  version: 1,
  steps: [
    { id: "consent", type: "consent" },
    { id: "captcha", type: "captcha" },
    {
      id: "person",
      type: "form",
      fields: [
        { id: "givenName", type: "text", autocomplete: "given-name", required: true, max: 100 },
        { id: "familyName", type: "text", autocomplete: "family-name", required: true, max: 100 },
        { id: "dateOfBirth", type: "date", autocomplete: "bday", required: true },
        { id: "nationality", type: "country", required: true }
      ]
    },
    { id: "document", type: "document", mrz: "off" },
    { id: "review", type: "review" }
  ]
}

const countriesOf = ({ countries }: Json): ReadonlyArray<string> => {
  const codes = texts(countries)
  return codes.includes("*") ? [] : codes
}

const readField = (field: Json): ReadonlyArray<Field> => {
  const id = text(field.id)
  const type = oneOf(field.type, ["text", "date", "country", "select"])
  if (id === undefined || type === undefined) return []
  return [
    {
      id,
      type,
      label: localText(field.label),
      help: localText(field.help),
      required: field.required === true,
      autocomplete: text(field.autocomplete),
      inputmode: oneOf(field.inputmode, ["text", "numeric", "tel", "email"]),
      min: number(field.min) ?? 0,
      max: Math.max(1, number(field.max) ?? 200),
      minAge: number(field.minAge),
      maxAge: number(field.maxAge),
      countries: countriesOf(field),
      options: objects(field.options).flatMap((option) => {
        const value = text(option.value)
        return value === undefined ? [] : [{ value, label: localText(option.label) }]
      })
    }
  ]
}

const readItem = (item: Json): ReadonlyArray<ConsentItem> => {
  const id = text(item.id)
  return id === undefined
    ? []
    : [{ id, required: item.required === true, text: localText(item.text), url: webAddress(item.url) }]
}

/** What is agreed to when the workflow does not say: the page's own sentence. */
const ownItem: ConsentItem = { id: "terms", required: true, text: undefined, url: undefined }

const sidesOf = (given: unknown): DocumentStep["sides"] => {
  const asked = isObject(given) ? given : {}
  const count = (type: DocumentType) =>
    asked[type] === 1 ? 1 : asked[type] === 2 ? 2 : type === "passport" ? 1 : 2
  return {
    passport: count("passport"),
    id_card: count("id_card"),
    driving_licence: count("driving_licence"),
    residence_permit: count("residence_permit")
  }
}

const readDocument = (common: Common, step: Json): DocumentStep => {
  const documents = documentTypes.filter((type) => texts(step.documents).includes(type))
  const asked = Array.isArray(step.ask) ? texts(step.ask) : ["number", "expiry"]
  const dedup = typeof step.dedup === "boolean" ? step.dedup : undefined
  return {
    ...common,
    type: "document",
    documents: documents.length === 0 ? documentTypes : documents,
    countries: countriesOf(step),
    sides: sidesOf(step.sides),
    // The number is what a document is known again by.
    asksNumber: dedup === true || asked.includes("number"),
    asksExpiry: asked.includes("expiry"),
    zone: step.mrz === "off" ? "none" : (oneOf(step.mrz, ["required"]) ?? "optional"),
    dedup
  }
}

const readStep = (step: Json, index: number): Step => {
  const common: Common = {
    id: text(step.id) ?? `step${index + 1}`,
    title: localText(step.title),
    text: localText(step.text),
    optional: step.optional === true
  }
  switch (step.type) {
    case "consent": {
      const items = objects(step.items).flatMap(readItem)
      return { ...common, type: "consent", items: items.length === 0 ? [ownItem] : items }
    }
    case "form":
      return { ...common, type: "form", fields: objects(step.fields).flatMap(readField) }
    case "document":
      return readDocument(common, step)
    case "selfie":
      return {
        ...common,
        type: "selfie",
        prompts: Math.min(4, Math.max(0, Math.floor(number(step.prompts) ?? 2))),
        skipIfNoCamera: step.skipIfNoCamera === true
      }
    case "upload":
      return { ...common, type: "upload", maxFiles: Math.min(10, Math.max(1, number(step.maxFiles) ?? 1)) }
    case "review":
      return { ...common, type: "review" }
    default:
      return { ...common, type: "unknown" }
  }
}

/** Reads a workflow. Fields it does not know it passes over; a step it does not know becomes `unknown`. */
export const readWorkflow = (given: Json): Workflow => {
  const workflow: Json = objects(given.steps).length === 0 ? usualWorkflow : given
  const steps = objects(workflow.steps)
  return {
    id: text(workflow.id) ?? "default",
    version: number(workflow.version) ?? 1,
    steps: steps.filter(({ type }) => type !== "captcha").map(readStep),
    rules: readRules(workflow.rules),
    captcha: steps.some(({ type }) => type === "captcha")
  }
}
