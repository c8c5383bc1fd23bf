/**
 * The `workflow` of an instance: the steps of its page, and rules between them. Unknown fields are stored and ignored;
 * for a step of an unknown type, the page says that it does not support the step.
 */
import { Schema } from "effect"
import { webUrl } from "./config-model.ts"
import {
  like,
  list,
  listOf,
  needed,
  neededPart,
  object,
  oneOf,
  part,
  setting,
  string,
  tagged,
  trueOrFalse,
  wholeFrom
} from "./shape-model.ts"
import { Text, textRule } from "./text-model.ts"

const id = like(
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
  "a letter and then up to 63 letters, digits, underscores or hyphens"
)

const country = like(/^(?:\*|[A-Z]{3})$/, "an ISO 3166 code of three letters like EST, or *")
const countries = part(
  listOf(country, 300, "countries"),
  "Countries to choose from; `*` is every one. Default: `*`."
)

const Choice = object({
  value: needed(string(200), "What is kept when it is chosen; unique in the field."),
  label: part(Text, "What the reader sees. Default: the value.")
})

const fieldOf = <const Type extends string>(type: Type, description: string) => ({
  id: needed(id, "Key of the answer in the step's progress; unique in the step."),
  type: needed(oneOf(type), description),
  required: setting(trueOrFalse, "Default: false."),
  label: part(Text, "Default: by the id, for those the page knows, else the id itself."),
  help: part(Text, "Shown beneath the field."),
  autocomplete: setting(
    like(/^[a-z0-9]+(?:[ -][a-z0-9]+)*$/, "an autocomplete token like given-name", { max: 100 }),
    "What the browser may fill in, a token of the HTML standard."
  )
})

const Field = tagged("type", {
  text: object({
    ...fieldOf("text", "A line of text."),
    min: setting(wholeFrom(0, 4000), "Characters, at least. Default: 0."),
    max: setting(wholeFrom(1, 4000), "Characters, at most. Default: 200.")
  }),
  date: object({
    ...fieldOf("date", "A calendar day, as YYYY-MM-DD."),
    minAge: setting(wholeFrom(0, 150), "Whole years that must have passed since that day."),
    maxAge: setting(wholeFrom(0, 150), "Whole years that may have passed since that day.")
  }),
  country: object({ ...fieldOf("country", "A country, as an ISO 3166 code of three letters."), countries }),
  select: object({
    ...fieldOf("select", "One of the options."),
    options: neededPart(
      list(Choice, 300, "options").annotations({ description: "In the order they are shown." }),
      "must be an array of at most 300 options"
    )
  })
})

const Item = object({
  id: needed(id, "Names the consent in the result; unique in the step."),
  text: neededPart(Text.annotations({ description: "What is agreed to." }), textRule),
  required: setting(trueOrFalse, "Whether the session ends without it. Default: false."),
  url: setting(webUrl, "Where to read more.")
})

const stepOf = <const Type extends string>(type: Type, description: string) => ({
  id: needed(id, "Unique in the workflow. The step's answers are kept in the progress under `s_<id>`."),
  type: needed(oneOf(type), description),
  optional: setting(trueOrFalse, "Whether it may be skipped. Default: false."),
  title: part(Text, "Heading. Default: by the type."),
  text: part(Text, "Shown beneath the heading.")
})

const documentTypes = ["passport", "id_card", "driving_licence", "residence_permit"] as const
const sides = setting(oneOf(1, 2), "Sides to take an image of.")

const known = {
  consent: object({
    ...stepOf("consent", "What the reader has to agree to."),
    items: part(list(Item, 20, "items"), "Default: one, to the privacy notice of `config.legal`.")
  }),
  captcha: object(
    stepOf("captcha", "Proof that no robot fills it in; done while the reader does other steps.")
  ),
  form: object({
    ...stepOf("form", "Questions. Answers are kept by the field's id."),
    fields: part(list(Field, 100, "fields"), "In the order they are asked. Default: none.")
  }),
  document: object({
    ...stepOf("document", "An identity document: `type`, `country`, what `ask` adds, and images."),
    documents: part(
      listOf(oneOf(...documentTypes), 4, "types of document"),
      "Types to choose from. Default: all."
    ),
    countries,
    sides: part(
      object({ passport: sides, id_card: sides, driving_licence: sides, residence_permit: sides }),
      "By type of document. Default: 1 of a passport, 2 of any other."
    ),
    ask: part(
      listOf(oneOf("number", "expiry"), 2, "things to ask"),
      "What is asked for in writing. Default: both."
    ),
    mrz: setting(
      oneOf("off", "optional", "required"),
      "Whether the machine-readable zone is asked for. Default: optional."
    ),
    dedup: setting(
      trueOrFalse,
      "Whether earlier sessions of this document are looked for. Default: as in `config.dedup`."
    )
  }),
  selfie: object({
    ...stepOf("selfie", "Images of the face: evidence of presence, not of liveness."),
    prompts: setting(wholeFrom(0, 4), "How many movements are asked for. Default: 2."),
    skipIfNoCamera: setting(trueOrFalse, "Whether the step is passed over without a camera. Default: false.")
  }),
  upload: object({
    ...stepOf("upload", "Other files, such as a proof of address."),
    maxFiles: setting(wholeFrom(1, 10), "Files, at most. Default: 1.")
  }),
  review: object(stepOf("review", "Everything once more before it is sent."))
}
type KnownType = keyof typeof known
export type KnownStep = Schema.Schema.Type<(typeof known)[KnownType]>

/** Whether this version knows the step's type. */
export const isKnown = (step: Step): step is KnownStep => Object.hasOwn(known, step.type)

const UnknownStep = object({
  ...stepOf("", ""),
  type: needed(
    {
      schema: Schema.String.pipe(
        Schema.filter((type) => type !== "" && type.length <= 64, {
          jsonSchema: { minLength: 1, maxLength: 64, not: { enum: Object.keys(known) } }
        })
      ),
      rule: "must be the name of a type of step, like form"
    },
    "A type of a later version. A page that does not have it says so."
  )
})

const Step = tagged<(typeof known)[KnownType] | typeof UnknownStep>("type", known, UnknownStep)
export type Step = typeof Step.Type

const path = like(
  /^[A-Za-z][A-Za-z0-9_-]{0,63}(?:\.[A-Za-z][A-Za-z0-9_-]{0,63}){1,4}$/,
  "a step's id and a field's like person.nationality"
)
const scalar = {
  schema: Schema.Union(Schema.String, Schema.Number, Schema.Boolean),
  rule: "must be a string, a number, true or false"
}
const ordered = { schema: Schema.Union(Schema.String, Schema.Number), rule: "must be a string or a number" }

const when = <const Op extends string>(op: Op, description: string) => ({
  path: needed(path, "Which answer: the step's id, a dot, the field's id."),
  op: needed(oneOf(op), description)
})
const values = neededPart(
  listOf(scalar, 300, "values").annotations({ description: "What the answer is looked up in." }),
  "must be an array of at most 300 values"
)

const Condition = tagged("op", {
  eq: object({ ...when("eq", "Equal."), value: needed(scalar, "Of the same type.") }),
  ne: object({ ...when("ne", "Given, and not equal."), value: needed(scalar, "Of the same type.") }),
  in: object({ ...when("in", "One of the values."), value: values }),
  nin: object({ ...when("nin", "Given, and none of the values."), value: values }),
  lt: object({
    ...when("lt", "Less: numbers by size, strings by code unit, so that dates are by time."),
    value: needed(ordered, "Of the same type.")
  }),
  gt: object({ ...when("gt", "Greater, likewise."), value: needed(ordered, "Of the same type.") }),
  exists: object({
    ...when("exists", "Given."),
    value: setting(trueOrFalse, "false: not given. Default: true.")
  }),
  ageLt: object({
    ...when("ageLt", "A day that is fewer whole years ago."),
    value: needed(wholeFrom(0, 150), "Years.")
  })
})
export type Condition = typeof Condition.Type

const failureCode = like(/^[A-Z][A-Z0-9_]{0,63}$/, "a code in capitals like COUNTRY_NOT_SUPPORTED")

const Rule = object({
  after: needed(id, "The step after which the rule is looked at."),
  if: neededPart(Condition.annotations({ description: "When it applies." }), "must be an object"),
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
  then: neededPart(
    object({
      fail: setting(failureCode, "Ends the session as failed, with this code."),
      skip: part(listOf(id, 50, "steps"), "Steps that are passed over.")
    }).annotations({ description: "What it does." }),
    "must be an object"
  )
})
export type Rule = typeof Rule.Type

export const Workflow = object({
  v: setting(oneOf(1), "Version of this format."),
  id: setting(string(100), "Names the workflow in results."),
  version: setting(wholeFrom(0, 1_000_000_000), "Of the workflow; it is kept with every result."),
  steps: part(
    list(Step, 50, "steps"),
    "In the order they are gone through. Left out: a flow of the page's own."
  ),
  rules: part(list(Rule, 100, "rules"), "Of those that apply, the first that fails the session ends it.")
})
export type Workflow = typeof Workflow.Type

/** A stored workflow; none if it has another version of this format. */
export const readWorkflow = Schema.validateOption(Workflow)
