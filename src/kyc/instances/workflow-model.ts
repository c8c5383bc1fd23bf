/** The `workflow` of an instance: the steps of its page, and rules between them. */
import { Schema } from "effect"
import { webUrl } from "./config-model.ts"
import {
  flag,
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
  "Countries to choose from; `*` is all of them. Default: `*`."
)

const Choice = object({
  value: needed(string(200), "The stored value; unique in the field."),
  label: part(Text, "What the end user sees. Default: the value.")
})

const fieldOf = <const Type extends string>(type: Type, description: string) => ({
  id: needed(id, "Key of the answer in the step's progress; unique in the step."),
  type: needed(oneOf(type), description),
  required: flag("Default: false."),
  label: part(Text, "Default: the page's own label for an id that it knows, otherwise the id."),
  help: part(Text, "Shown below the field."),
  autocomplete: setting(
    like(/^[a-z0-9]+(?:[ -][a-z0-9]+)*$/, "an autocomplete token like given-name", { max: 100 }),
    "What the browser may fill in: an `autocomplete` token of the HTML standard."
  )
})

const Field = tagged("type", {
  text: object({
    ...fieldOf("text", "A line of text."),
    min: setting(wholeFrom(0, 4000), "Minimum number of characters. Default: 0."),
    max: setting(wholeFrom(1, 4000), "Maximum number of characters. Default: 200.")
  }),
  date: object({
    ...fieldOf("date", "A calendar day, as YYYY-MM-DD."),
    minAge: setting(wholeFrom(0, 150), "Minimum whole years since that day."),
    maxAge: setting(wholeFrom(0, 150), "Maximum whole years since that day.")
  }),
  country: object({ ...fieldOf("country", "A country, as an ISO 3166 code of three letters."), countries }),
  select: object({
    ...fieldOf("select", "One of the options."),
    options: neededPart(
      list(Choice, 300, "options"),
      "In the order in which they are shown.",
      "must be an array of at most 300 options"
    )
  })
})
export type Field = typeof Field.Type

const Item = object({
  id: needed(id, "Names the consent in the result; unique in the step."),
  text: neededPart(Text, "What the end user agrees to.", textRule),
  required: flag("Whether a refusal ends the session. Default: false."),
  url: setting(webUrl, "Where to read more.")
})

const stepOf = <const Type extends string>(type: Type, description: string) => ({
  id: needed(id, "Unique in the workflow. The step's answers are stored in the progress under `s_<id>`."),
  type: needed(oneOf(type), description),
  optional: flag("Whether it may be skipped. Default: false."),
  title: part(Text, "Heading. Default: by the type."),
  text: part(Text, "Shown below the heading.")
})

export const documentTypes = ["passport", "id_card", "driving_licence", "residence_permit"] as const
const sides = setting(oneOf(1, 2), "Number of sides to photograph.")

const known = {
  consent: object({
    ...stepOf("consent", "What the end user has to agree to."),
    items: part(list(Item, 20, "items"), "Default: one, to the privacy notice of `config.legal`.")
  }),
  captcha: object(
    stepOf("captcha", "The check that the end user is not a program; it runs during the other steps.")
  ),
  form: object({
    ...stepOf("form", "Questions. Answers are stored by the field's id."),
    fields: part(list(Field, 100, "fields"), "In the order in which they are asked. Default: none.")
  }),
  document: object({
    ...stepOf("document", "An identity document: its `type`, `country`, the answers in `ask`, and images."),
    documents: part(
      listOf(oneOf(...documentTypes), 4, "types of document"),
      "Types to choose from. Default: all."
    ),
    countries,
    sides: part(
      object({ passport: sides, id_card: sides, driving_licence: sides, residence_permit: sides }),
      "By type of document. Default: 1 for a passport, 2 for any other."
    ),
    ask: part(
      listOf(oneOf("number", "expiry"), 2, "things to ask"),
      "What the end user types in. Default: both."
    ),
    mrz: setting(
      oneOf("off", "optional", "required"),
      "Whether the page asks for the machine-readable zone. Default: optional."
    ),
    dedup: flag(
      "Whether the page looks for earlier sessions of this document. Default: as in `config.dedup`."
    )
  }),
  selfie: object({
    ...stepOf("selfie", "Images of the face: evidence of presence, not of liveness."),
    prompts: setting(wholeFrom(0, 4), "How many movements the page asks for. Default: 2."),
    skipIfNoCamera: flag("Whether the step is skipped without a camera. Default: false.")
  }),
  upload: object({
    ...stepOf("upload", "Other files, such as a proof of address."),
    maxFiles: setting(wholeFrom(1, 10), "Maximum number of files. Default: 1.")
  }),
  review: object(stepOf("review", "A summary of all answers before they are sent."))
}
type KnownType = keyof typeof known
export type KnownStep = Schema.Schema.Type<(typeof known)[KnownType]>

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
    "A type of a later version. A page that does not know it says so."
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
  path: needed(path, "The answer: the step's id, a dot, the field's id."),
  op: needed(oneOf(op), description)
})
const values = neededPart(
  listOf(scalar, 300, "values"),
  "The values to compare the answer with.",
  "must be an array of at most 300 values"
)

const Condition = tagged("op", {
  eq: object({ ...when("eq", "Equal."), value: needed(scalar, "Of the same type.") }),
  ne: object({ ...when("ne", "Given, and not equal."), value: needed(scalar, "Of the same type.") }),
  in: object({ ...when("in", "One of the values."), value: values }),
  nin: object({ ...when("nin", "Given, and none of the values."), value: values }),
  lt: object({
    ...when("lt", "Less. Numbers compare by size, and strings by code unit, so dates compare by time."),
    value: needed(ordered, "Of the same type.")
  }),
  gt: object({ ...when("gt", "Greater, likewise."), value: needed(ordered, "Of the same type.") }),
  exists: object({
    ...when("exists", "Given."),
    value: flag("false: not given. Default: true.")
  }),
  ageLt: object({
    ...when("ageLt", "A day that is fewer whole years ago."),
    value: needed(wholeFrom(0, 150), "Years.")
  })
})
export type Condition = typeof Condition.Type

const failureCode = like(/^[A-Z][A-Z0-9_]{0,63}$/, "a code in capitals like COUNTRY_NOT_SUPPORTED")

const Rule = object({
  after: needed(id, "The step after which the rule is evaluated."),
  if: neededPart(Condition, "When it applies.", "must be an object"),
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
  then: neededPart(
    object({
      fail: setting(failureCode, "Ends the session as failed, with this code."),
      skip: part(listOf(id, 50, "steps"), "Steps to skip.")
    }),
    "What it does.",
    "must be an object"
  )
})
export type Rule = typeof Rule.Type

export const Workflow = object({
  v: setting(oneOf(1), "Version of this format."),
  id: setting(string(100), "Names the workflow in results."),
  version: setting(wholeFrom(0, 1_000_000_000), "Version of the workflow; stored with every result."),
  steps: part(
    list(Step, 50, "steps"),
    "In the order in which the end user takes them. Default: the page's own flow."
  ),
  rules: part(list(Rule, 100, "rules"), "The first rule that applies and has `fail` ends the session.")
})
export type Workflow = typeof Workflow.Type

/** A stored workflow; none if it has another version of this format. */
export const readWorkflow = Schema.validateOption(Workflow)
