/**
 * The vocabulary in which a feature's `api.ts` states its status and body table.
 *
 * A row is either a failure of the service (`fails`: one error class, one status, one body), a sentence
 * about the request itself (`answers({ rejects })`: always 400), or the route's own 500
 * (`answers({ unexpected })`). `http/reject` answers from these rows and `http/openapi` documents them;
 * neither knows a feature.
 */
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** `plain` is `{"error": message}`; `captcha` is `{"ok": false, "error": message}` (service.md, Errors). */
export type ErrorForm = "plain" | "captcha"

export type ErrorBody = { readonly error: string } | { readonly ok: false; readonly error: string }

export const errorBody = (form: ErrorForm, message: string): ErrorBody =>
  form === "captcha" ? { ok: false, error: message } : { error: message }

/** The JSON Schema of an error answer that can carry exactly these messages, and those of these forms. */
export const errorBodySchema = (
  form: ErrorForm,
  messages: ReadonlyArray<string>,
  patterns: ReadonlyArray<RegExp> = []
): JsonSchema => ({
  type: "object",
  required: form === "captcha" ? ["ok", "error"] : ["error"],
  properties: {
    ...(form === "captcha" ? { ok: { type: "boolean", enum: [false] } } : {}),
    error:
      patterns.length === 0
        ? { type: "string", enum: messages }
        : {
            type: "string",
            anyOf: [{ enum: messages }, ...patterns.map(({ source }) => ({ pattern: source }))]
          }
  },
  additionalProperties: false
})

type JsonSchema = Readonly<Record<string, unknown>>

/** What one error class becomes on the wire. */
export interface FailureRow {
  readonly errorClass: unknown
  readonly name: string
  readonly status: number
  /** The message in the contract's table; the example of it where `describe` adds a detail. */
  readonly message: string
  readonly body: (error: unknown) => ErrorBody
  readonly headers: (error: unknown) => Record<string, string>
  /** Whether the answer is the same for every error of the class. */
  readonly isConstant: boolean
}

const failureRow = Symbol.for("doorlock/http/FailureRow")

/** The row that `fails` wrote into a schema, when it did. */
export const failureRowOf = (ast: SchemaAST.AST): FailureRow | undefined =>
  // The annotation under this symbol is only ever written by `fails`, below.
  ast.annotations[failureRow] as FailureRow | undefined

interface FailureOptions<E> {
  readonly form?: ErrorForm
  /** For a message that carries a detail of the error. The `message` of the row is then its example. */
  readonly describe?: (error: E) => string
  /** A record, where they say nothing of the error. */
  readonly headers?: Readonly<Record<string, string>> | ((error: E) => Record<string, string>)
}

/** A row of an error table: failures of class `Class` are answered with `status` and the exact body. */
export const fails = <E extends object>(
  Class: abstract new (...args: never) => E,
  status: number,
  message: string,
  options: FailureOptions<E> = {}
) => {
  const form = options.form ?? "plain"
  const is = (error: unknown): error is E => error instanceof Class
  const { describe, headers = {} } = options
  const row: FailureRow = {
    errorClass: Class,
    name: Class.name,
    status,
    message,
    body: (error) => errorBody(form, describe !== undefined && is(error) ? describe(error) : message),
    headers: (error) => (typeof headers !== "function" ? { ...headers } : is(error) ? headers(error) : {}),
    isConstant: describe === undefined && typeof headers !== "function"
  }
  // A declaration without an encoding: `http/reject` answers failures from the row, so that the framework's
  // own encoder, one union over the whole API in which the first match wins, is never reached.
  return Schema.declare(is, {
    ...HttpApiSchema.annotations({ status }),
    jsonSchema: errorBodySchema(form, [message]),
    [failureRow]: row
  })
}

/** One good call of a route: the body it takes, if any, and the body it answers. */
export interface Example {
  readonly request?: unknown
  readonly response: unknown
}

/** What a route answers about the request itself, and when something broke that is not the caller's fault. */
export interface Answers {
  readonly form: ErrorForm
  /** Every 400 message of the route, in the order of the checks. */
  readonly rejects: ReadonlyArray<string>
  /** What further 400 messages look like: those that name a place within a field. */
  readonly rejectPatterns: ReadonlyArray<RegExp>
  /** The 500 of the route. */
  readonly unexpected: string
  /** What a call looks like, for the description. */
  readonly example: Example | undefined
  /** Headers that good answers may carry, besides those that all answers have. */
  readonly headers: Readonly<Record<string, { readonly description: string }>>
  /** Bytes of its JSON body, at most; undefined where it is as many as everywhere (`http/body`). */
  readonly maxBodyBytes: number | undefined
  /** Whether scripts of any origin may read the answers (no credentials are ever allowed). */
  readonly anyOrigin: boolean
}

/** Bytes of the body of a route that anybody may call, and that takes nothing but a few short texts. */
export const fewFields = 16_384

export const Answers = Context.GenericTag<Answers>("doorlock/http/Answers")

/** Writes the route's `Answers` beside the endpoint. */
export const answers =
  (options: {
    readonly unexpected: string
    readonly rejects?: ReadonlyArray<string>
    readonly rejectPatterns?: ReadonlyArray<RegExp>
    readonly form?: ErrorForm
    readonly anyOrigin?: boolean
    readonly maxBodyBytes?: number
    readonly headers?: Answers["headers"]
    readonly example?: Example
  }) =>
  <E extends HttpApiEndpoint.HttpApiEndpoint.Any>(endpoint: E): E =>
    // `annotate` is on every endpoint and returns one of the same type; `Any` merely does not say so.
    (endpoint as E & { annotate: (tag: typeof Answers, value: Answers) => E }).annotate(Answers, {
      form: options.form ?? "plain",
      rejects: options.rejects ?? [],
      rejectPatterns: options.rejectPatterns ?? [],
      unexpected: options.unexpected,
      example: options.example,
      headers: options.headers ?? {},
      maxBodyBytes: options.maxBodyBytes,
      anyOrigin: options.anyOrigin ?? false
    })
