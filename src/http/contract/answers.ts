/**
 * Functions with which a feature's `api.ts` declares its table of statuses and bodies.
 *
 * A row is either a failure of the service (`fails`: one error class, one status, one sentence), a sentence about the request itself
 * (`rejects` of `Answers`: always 400), or the route's own 500 (`unexpected`). `http/runtime/reject` answers from these rows and
 * `http/contract/openapi` documents them; neither knows a feature.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Context, Schema, type SchemaAST } from "effect"
import { TooManyRequests } from "../../limits/errors.ts"
import { classCode, sentenceCode } from "./error-code.ts"

/** The name of the `HttpApi` of all groups, by which its routes and their implementations find each other. */
export const apiName = "doorlock"

/** `plain` is `{"error": message}`; `captcha` is `{"ok": false, "error": message}` (contract.md#error-body). */
export type ErrorForm = "plain" | "captcha"

export type ErrorBody = { readonly error: string } | { readonly ok: false; readonly error: string }

export const errorBody = (form: ErrorForm, message: string): ErrorBody =>
  form === "captcha" ? { ok: false, error: message } : { error: message }

/** The response to errors of one class. */
export interface FailureRow {
  readonly errorClass: unknown
  readonly name: string
  readonly status: number
  /** The message in the contract's table; the example of it where `describe` adds a detail. */
  readonly message: string
  /** The code of `message` (`http/contract/error-code`). */
  readonly code: string
  /** That of an error, which may have another sentence. */
  readonly codeOf: (error: unknown) => string
  readonly sentence: (error: unknown) => string
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
  /** For a message that carries a detail of the error. The `message` of the row is then its example. */
  readonly describe?: (error: E) => string
  /** The error's code, where the code derived from the class would clash or mislead: `by sentence`, where `describe` gives several. */
  readonly code?: string
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
  const is = (error: unknown): error is E => error instanceof Class
  const { code = classCode(Class.name), describe, headers = {} } = options
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
    isConstant: describe === undefined && typeof headers !== "function"
  }
  // A declaration without an encoding: `http/runtime/reject` answers failures from the row, so that the framework's
  // own encoder, one union over the whole API in which the first match wins, is never reached.
  return Schema.declare(is, {
    ...HttpApiSchema.annotations({ status }),
    jsonSchema: { type: "object" },
    [failureRow]: row
  })
}

/** The row of the protective limits (contract.md#protective-limits). It says when the next try will be accepted. */
export const tooManyRequests = fails(TooManyRequests, 429, "Too many requests", {
  // RFC 9110, section 10.2.3.
  headers: ({ retryAfterSeconds }) => ({ "retry-after": String(retryAfterSeconds) })
})

/** A successful call of a route: the request body, if any, and the response body. */
export interface Example {
  readonly request?: unknown
  readonly response: unknown
}

/** What 400 messages look like that name a place within a field: one code for all, and one of them. */
interface RejectPattern {
  readonly pattern: RegExp
  readonly code: string
  readonly example: string
}

/** The `caller` of a route that neither requires nor reads a credential. */
export const anybody = "Needs no credential."

/** What a route answers about the request itself, and when something broke that is not the caller's fault. */
export interface Answers {
  readonly form: ErrorForm
  /** Every 400 message of the route, in the order of the checks. */
  readonly rejects: ReadonlyArray<string>
  /** What further 400 messages look like: those that name a place within a field. */
  readonly rejectPatterns: ReadonlyArray<RejectPattern>
  /** The code of a 400 message or of the 500 (`http/contract/error-code`); `request-invalid` for a message that is not declared here. */
  readonly codeOf: (message: string) => string
  /** The 500 of the route. */
  readonly unexpected: string
  /**
   * Who may call, in a sentence, if no guard asks for a credential: `anybody`, or the holder of a secret that the route itself reads from
   * the request. Undefined if a guard asks.
   */
  readonly caller: string | undefined
  /** What a call looks like, for the description. */
  readonly example: Example | undefined
  /** Headers that good answers may carry, besides those that all answers have. */
  readonly headers: Readonly<Record<string, { readonly description: string }>>
  /** Whether scripts of any origin may read the answers (no credentials are ever allowed). */
  readonly anyOrigin: boolean
  /**
   * Whether successful responses may be compressed. Off by default: allowed only if none of them holds a secret, such as a token.
   */
  readonly compressed: boolean
}

export const Answers = Context.GenericTag<Answers>("doorlock/http/Answers")
