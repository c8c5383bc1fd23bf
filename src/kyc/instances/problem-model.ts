/** Turns schema errors into the one sentence that an API client reads. */
import { Either, ParseResult, type Schema } from "effect"
import type { JsonObject } from "../../shared/schemas.ts"
import type { Problem } from "./shape-model.ts"

const childOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined

/** The first problem in the document. Problems of an object itself, such as a missing field, come before problems inside it. */
const firstOf = (value: unknown, problems: ReadonlyArray<Problem>, depth = 0): Problem | undefined => {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : []
  const present = new Set(keys)
  const here = problems.find(({ path }) => path.length === depth || !present.has(String(path[depth])))
  if (here !== undefined) return here
  const within = new Set(problems.map(({ path }) => String(path[depth])))
  const next = keys.find((key) => within.has(key))
  if (next === undefined) return undefined
  const inNext = problems.filter(({ path }) => String(path[depth]) === next)
  return firstOf(childOf(value, next), inNext, depth + 1)
}

const written = (segment: PropertyKey): string => {
  if (typeof segment === "number") return `[${segment}]`
  return /^[A-Za-z_]\w*$/.test(String(segment)) ? `.${String(segment)}` : `[${JSON.stringify(segment)}]`
}

/**
 * The first error in document order, as a sentence that begins with `name`.
 *
 * @param sense checks that a schema cannot express; runs only if the shape is correct
 */
export const problemIn = <A>(
  name: string,
  schema: Schema.Schema<A>,
  sense: (document: A) => ReadonlyArray<Problem>
) => {
  const validate = ParseResult.validateEither(schema, { errors: "all" })
  return (document: JsonObject): string | undefined => {
    const problems = Either.match(validate(document), {
      onLeft: (issue) =>
        ParseResult.ArrayFormatter.formatIssueSync(issue).map(
          ({ message, path }): Problem => ({ path, rule: message })
        ),
      onRight: sense
    })
    const first = firstOf(document, problems)
    return first === undefined ? undefined : `${name}${first.path.map(written).join("")} ${first.rule}`
  }
}
