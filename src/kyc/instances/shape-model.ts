/**
 * The vocabulary of `config-model` and `workflow-model`. A rule follows the path in a message
 * (`config.theme.primary` + `must be a colour like #1f5eff`). Decoding changes nothing, so one schema
 * describes, checks and types the JSON.
 */
import { ParseResult, Schema, SchemaAST } from "effect"
import { isJsonObject, listAtMost } from "../../shared/schemas.ts"

/** A scalar value and its only rule. */
export interface Value<A> {
  readonly schema: Schema.Schema<A>
  readonly rule: string
}

export interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly rule: string
}

export const ruled = <A>({ rule, schema }: Value<A>): Schema.Schema<A> =>
  schema.annotations({ message: () => ({ message: rule, override: true }) })

export const oneOf = <const Choices extends ReadonlyArray<string | number>>(...choices: Choices) => ({
  schema: Schema.Literal(...choices),
  rule: choices.length === 1 ? `must be ${choices[0]}` : `must be one of ${choices.join(", ")}`
})

/** A string of 1 to `max` characters, counted in code points as JSON Schema does. */
export const string = (max: number): Value<string> => ({
  schema: Schema.String.pipe(
    Schema.filter((text) => text !== "" && [...text].length <= max, {
      jsonSchema: { minLength: 1, maxLength: max }
    })
  ),
  rule: `must be a string of 1 to ${max} characters`
})

/** @param holds a check that no pattern can express; it is not in the published schema */
export const like = (
  pattern: RegExp,
  rule: string,
  {
    holds = () => true,
    max = 300
  }: { readonly holds?: (text: string) => boolean; readonly max?: number } = {}
): Value<string> => ({
  schema: Schema.String.pipe(
    Schema.filter((text) => text.length <= max && pattern.test(text) && holds(text), {
      jsonSchema: { pattern: pattern.source, maxLength: max }
    })
  ),
  rule: `must be ${rule}`
})

const numberOf =
  (kind: string, holds: (value: number) => boolean, jsonSchema: object) =>
  (minimum: number, maximum: number): Value<number> => ({
    schema: Schema.Number.pipe(
      Schema.filter((value) => holds(value) && value >= minimum && value <= maximum, {
        jsonSchema: { ...jsonSchema, minimum, maximum }
      })
    ),
    rule: `must be a ${kind} from ${minimum} to ${maximum}`
  })

export const numberFrom = numberOf("number", Number.isFinite, {})

// Not `type: "integer"`: with a type, an annotation would replace the description, too.
export const wholeFrom = numberOf("whole number", Number.isInteger, { multipleOf: 1 })

/** A list. An overlong list is refused before its items are checked, so the check is quick for any input. */
export const list = <A>(item: Schema.Schema<A>, max: number, what: string): Schema.Schema<ReadonlyArray<A>> =>
  listAtMost(item, max, `must be an array of at most ${max} ${what}`, { title: `At most ${max} ${what}` })

export const listOf = <A>(item: Value<A>, max: number, what: string) => list(ruled(item), max, what)

export const object = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotations({ message: () => "must be an object" })

/** An optional part of the document; null is refused. */
export const part = <A>(schema: Schema.Schema<A>, description: string) =>
  Schema.optionalWith(schema.annotations({ description }), { exact: true })

/** An optional value; null means the same as leaving it out. */
export const setting = <A>(value: Value<A>, description: string) =>
  part(ruled({ schema: Schema.NullOr(value.schema), rule: value.rule }), description)

/** An optional boolean. */
export const flag = (description: string) =>
  setting({ schema: Schema.Boolean, rule: "must be true or false" }, description)

export const needed = <A>(value: Value<A>, description: string) =>
  neededPart(ruled(value), description, value.rule)

export const neededPart = <A>(schema: Schema.Schema<A>, description: string, rule: string) =>
  Schema.propertySignature(schema.annotations({ description })).annotations({ missingMessage: () => rule })

/**
 * Errors refer only to the shape of the string under `key`; a union would try every shape and mix their
 * errors.
 *
 * @param other the shape for unknown strings; by default, they are refused
 */
export const tagged = <Shape extends Schema.Schema.AnyNoContext>(
  key: string,
  shapes: Readonly<Record<string, Shape>>,
  other?: Shape
): Schema.Schema<Schema.Schema.Type<Shape>> => {
  const tags = oneOf(...Object.keys(shapes))
  const unknown = other ?? object({ [key]: needed(tags, "") })
  const shapeOf = (tag: unknown) =>
    typeof tag === "string" && Object.hasOwn(shapes, tag) ? (shapes[tag] ?? unknown) : unknown
  const parse = () => (input: unknown, options: SchemaAST.ParseOptions) =>
    ParseResult.validate(shapeOf(isJsonObject(input) ? input[key] : undefined))(input, options)
  const union = Schema.Union(...Object.values(shapes), ...(other === undefined ? [] : [other]))
  return Schema.declare(
    [],
    { decode: parse, encode: parse },
    { [SchemaAST.SurrogateAnnotationId]: union.ast }
  )
}
