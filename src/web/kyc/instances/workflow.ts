/** Reads an `instance_workflow`. `{}` or an unknown shape gives the default workflow. */
import { defaultWorkflow } from "../../../kyc/instances/default-workflow-model.ts"
import type { KnownStep, Workflow as StoredWorkflow } from "../../../kyc/instances/workflow-model.ts"
import { type Json, number, object, objects, oneOf, text, texts, type Unchecked } from "../../json.ts"
import { localText, webAddress } from "./config.ts"
import { readRules } from "./rules.ts"

type Stored<Type extends KnownStep["type"]> = Extract<KnownStep, { readonly type: Type }>
type StoredItem = NonNullable<Stored<"consent">["items"]>[number]
type StoredField = NonNullable<Stored<"form">["fields"]>[number]
type StoredOption = Extract<StoredField, { readonly type: "select" }>["options"][number]
type Sides = NonNullable<Stored<"document">["sides"]>

export type DocumentType = keyof Sides
export const documentTypes: ReadonlyArray<DocumentType> = [
  "passport",
  "id_card",
  "driving_licence",
  "residence_permit"
]

/** ISO 3166-1 alpha-3; an empty list means every country. */
const countriesOf = (given: unknown): ReadonlyArray<string> => {
  const codes = texts(given)
  return codes.includes("*") ? [] : codes
}

const readField = (field: Unchecked<StoredField>) => {
  const id = text(field.id)
  const type = oneOf<StoredField["type"]>(field.type, ["text", "date", "country", "select"])
  if (id === undefined || type === undefined) return []
  return [
    {
      id,
      type,
      label: localText(field.label),
      help: localText(field.help),
      required: field.required === true,
      autocomplete: text(field.autocomplete),
      /** In characters. */
      min: number(field.min) ?? 0,
      max: Math.max(1, number(field.max) ?? 200),
      /** In years before today. */
      minAge: number(field.minAge),
      maxAge: number(field.maxAge),
      countries: countriesOf(field.countries),
      options: objects<StoredOption>(field.options).flatMap((option) => {
        const value = text(option.value)
        return value === undefined ? [] : [{ value, label: localText(option.label) }]
      })
    }
  ]
}
export type Field = ReturnType<typeof readField>[number]

const readItem = (item: Unchecked<StoredItem>) => {
  const id = text(item.id)
  return id === undefined
    ? []
    : [{ id, required: item.required === true, text: localText(item.text), url: webAddress(item.url) }]
}
export type ConsentItem = ReturnType<typeof readItem>[number]

/** For a workflow without consent items: the page uses its own text. */
const ownItem: ConsentItem = { id: "terms", required: true, text: undefined, url: undefined }

const readDocument = (step: Unchecked<Stored<"document">>) => {
  const documents = documentTypes.filter((type) => texts(step.documents).includes(type))
  const asked = Array.isArray(step.ask) ? texts(step.ask) : ["number", "expiry"]
  /** Undefined: the config decides. */
  const dedup = typeof step.dedup === "boolean" ? step.dedup : undefined
  const zone: "none" | "optional" | "required" =
    step.mrz === "off" ? "none" : (oneOf(step.mrz, ["required"]) ?? "optional")
  return {
    documents: documents.length === 0 ? documentTypes : documents,
    countries: countriesOf(step.countries),
    sidesOf: (type: DocumentType): ReadonlyArray<"front" | "back"> => {
      const { [type]: asked } = object<Sides>(step.sides)
      return asked === 1 || (asked !== 2 && type === "passport") ? ["front"] : ["front", "back"]
    },
    // The duplicate check needs the number.
    asksNumber: dedup === true || asked.includes("number"),
    asksExpiry: asked.includes("expiry"),
    zone,
    dedup
  }
}

/** `{}` or an unknown type gives a step that the page does not support. */
export const readStep = (given: Json, index: number) => {
  const step = object<KnownStep>(given)
  const common = {
    id: text(step.id) ?? `step${index + 1}`,
    /** Replaces the page's heading for this type. */
    title: localText(step.title),
    /** Replaces the page's text below the heading. */
    text: localText(step.text),
    optional: step.optional === true
  }
  switch (step.type) {
    case "consent": {
      const items = objects<StoredItem>(step.items).flatMap(readItem)
      return { ...common, type: "consent", items: items.length === 0 ? [ownItem] : items } as const
    }
    case "form":
      return {
        ...common,
        type: "form",
        fields: objects<StoredField>(step.fields).flatMap(readField)
      } as const
    case "document":
      return { ...common, type: "document", ...readDocument(step) } as const
    case "selfie": {
      /** Head movements, in addition to looking into the camera. */
      const prompts = Math.min(4, Math.max(0, Math.floor(number(step.prompts) ?? 2)))
      return { ...common, type: "selfie", prompts, skipIfNoCamera: step.skipIfNoCamera === true } as const
    }
    case "upload": {
      const maxFiles = Math.min(10, Math.max(1, number(step.maxFiles) ?? 1))
      return { ...common, type: "upload", maxFiles } as const
    }
    case "review":
      return { ...common, type: "review" } as const
    default:
      return { ...common, type: "unknown" } as const
  }
}

export type Step = ReturnType<typeof readStep>
export type StepOf<Type extends Step["type"]> = Extract<Step, { readonly type: Type }>

/** Ignores unknown fields; an unknown step becomes `unknown`. */
export const readWorkflow = (given: Json) => {
  const own = object<StoredWorkflow>(given)
  const workflow: Unchecked<StoredWorkflow> = objects(own.steps).length === 0 ? defaultWorkflow : own
  const steps = objects(workflow.steps)
  return {
    id: text(workflow.id) ?? "default",
    version: number(workflow.version) ?? 1,
    steps: steps.filter(({ type }) => type !== "captcha").map(readStep),
    rules: readRules(workflow.rules),
    /** Solved in the background, not a visible step. */
    captcha: steps.some(({ type }) => type === "captcha")
  }
}
