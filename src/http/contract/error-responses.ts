/**
 * How a feature's `api.ts` declares its error responses. `http/runtime/reject` responds from these rows and
 * `http/contract/openapi` documents them; neither knows a feature.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Context, Schema, type SchemaAST } from "effect"
import { TooManyRequests } from "../../limits/errors.ts"
import { kebab, sentenceCode } from "./error-code.ts"

/** The name of the `HttpApi`, by which routes and implementations find each other. */
export const apiName = "doorlock"

export type ErrorForm = "plain" | "captcha"

export type ErrorBody = { readonly error: string } | { readonly ok: false; readonly error: string }

export const errorBody = (form: ErrorForm, message: string): ErrorBody =>
  form === "captcha" ? { ok: false, error: message } : { error: message }

/** The response to errors of one class. */
export interface FailureRow {
  readonly errorClass: unknown
  readonly name: string
  readonly status: number
  /** The example message if `describe` adds a detail. */
  readonly message: string
  readonly code: string
  /** The code of one error, which may have its own message. */
  readonly codeOf: (error: unknown) => string
  readonly sentence: (error: unknown) => string
  readonly headers: (error: unknown) => Record<string, string>
  /** What `doorlock-reason` may say on this route; empty if the error has no such header. */
  readonly reasons: ReadonlyArray<string>
  readonly reasonOf: (error: unknown) => string | undefined
  /** Whether every error of the class has the same response, but for its reason. */
  readonly isConstant: boolean
}

const failureRow = Symbol.for("doorlock/http/FailureRow")

export const failureRowOf = (ast: SchemaAST.AST): FailureRow | undefined =>
  // Only `fails` writes this annotation.
  ast.annotations[failureRow] as FailureRow | undefined

interface FailureOptions<E> {
  /** A message with a detail of the error. */
  readonly describe?: (error: E) => string
  /** Set it if the code of the class would clash or mislead. `by sentence` gives each message its own code. */
  readonly code?: string
  /** A record if they are the same for every error. */
  readonly headers?: Readonly<Record<string, string>> | ((error: E) => Record<string, string>)
  /** What `doorlock-reason` says of an error, and all that it may say. */
  readonly reasons?: { readonly of: (error: E) => string | undefined; readonly all: ReadonlyArray<string> }
}

/** Errors of `Class` get `status` and `message`, or the message that `describe` returns. */
export const fails = <E extends object>(
  Class: abstract new (...args: never) => E,
  status: number,
  message: string,
  options: FailureOptions<E> = {}
) => {
  const is = (error: unknown): error is E => error instanceof Class
  const { code = kebab(Class.name), describe, headers = {}, reasons } = options
  const sentence = (error: unknown) => (describe !== undefined && is(error) ? describe(error) : message)
  const codeOf = (error: unknown) => (code === "by sentence" ? sentenceCode(sentence(error)) : code)
  const row: FailureRow = {
    errorClass: Class,
    name: Class.name,
    status,
    message,
    code: codeOf(undefined),
    codeOf,
    sentence,
    headers: (error) => (typeof headers !== "function" ? { ...headers } : is(error) ? headers(error) : {}),
    reasons: reasons?.all ?? [],
    reasonOf: (error) => (is(error) ? reasons?.of(error) : undefined),
    isConstant: describe === undefined && typeof headers !== "function"
  }
  // No encoding: `http/runtime/reject` responds from the row, never the framework's encoder.
  return Schema.declare(is, {
    ...HttpApiSchema.annotations({ status }),
    jsonSchema: { type: "object" },
    [failureRow]: row
  })
}

/** The protective limits (contract.md#protective-limits). */
export const tooManyRequests = fails(TooManyRequests, 429, "Too many requests", {
  // RFC 9110, section 10.2.3.
  headers: ({ retryAfterSeconds }) => ({ "retry-after": String(retryAfterSeconds) })
})

export interface Example {
  readonly request?: unknown
  readonly response: unknown
}

/** 400 messages that name a place within a field: they share a code, and one is the example. */
interface RejectPattern {
  readonly pattern: RegExp
  readonly code: string
  readonly example: string
}

/** The `caller` of a public route. */
export const anybody = "Needs no credential."

/** An error with a body of another protocol instead of `{error}`. */
export interface ProtocolError {
  readonly status: number
  readonly code: string
  /** One sentence for the documentation. */
  readonly message: string
  /** An example body. */
  readonly body: unknown
}

/** A route's responses to invalid requests and to unexpected failures, and its description. */
export interface RouteMetadata {
  readonly form: ErrorForm
  /** Every 400 message, in the order of the checks. */
  readonly rejects: ReadonlyArray<string>
  readonly rejectPatterns: ReadonlyArray<RejectPattern>
  /** The code of a 400 message or of the 500; `request-invalid` for an undeclared message. */
  readonly codeOf: (message: string) => string
  readonly unexpected: string
  readonly protocolErrors: ReadonlyArray<ProtocolError>
  /** `anybody`, or who may call if the route itself reads the credential. Undefined with a guard. */
  readonly caller: string | undefined
  readonly example: Example | undefined
  /** Headers of successful responses, besides those of all responses. */
  readonly headers: Readonly<Record<string, { readonly description: string }>>
  /** Whether scripts of any origin may read the responses, without credentials. */
  readonly anyOrigin: boolean
  /** Whether a standby of the database may answer: only if the handler reads, and fills no cache. */
  readonly fromStandby: boolean
  /** Whether successful responses may be compressed: only if none holds a secret, such as a token. */
  readonly compressed: boolean
}

export const RouteMetadata = Context.GenericTag<RouteMetadata>("doorlock/http/RouteMetadata")
