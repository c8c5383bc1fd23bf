/**
 * Helpers for KYC sessions: a company that a file's tests share, the routes by name, and matchers for
 * unpredictable values.
 */
import { expect } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import {
  type Answer,
  createInstance,
  createKey,
  createSession,
  expire,
  type Member,
  send,
  signUp,
  type TestSession,
  text
} from "../client.ts"
import { codeFor } from "../error-codes.ts"
import { execute } from "../postgres.ts"
import { type Environment, type RunningServer, sharedServer, startServer } from "../server.ts"

export const aPublicKey: unknown = expect.stringMatching(/^kyc_pk_[0-9A-Za-z]{24}$/)

/**
 * The part of a response that a test compares: its status and whole body. An error must have the code that
 * belongs to its message.
 */
export const statusAndBody = (answer: Answer) => {
  const { body, status } = answer
  if (status >= 400) expect(answer.headers.get("doorlock-error")).toEqual(codeFor(text(body, "error")))
  return { status, body }
}

/** A response in the minimal error form. */
export const refusal = (status: number, error: string) => ({ status, body: { error } })

/** A well-formed id that refers to nothing. */
export const unknownId = "01900000-0000-7000-8000-000000000000"

export const milliseconds = (body: unknown, ...path: ReadonlyArray<string | number>): number =>
  Date.parse(text(body, ...path))

/** A well-formed token of a deleted session. */
export const strayToken = (given: Company): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { id, token } = yield* given.newSession()
    yield* Effect.orDie(execute(given.server.databaseUrl, "delete from kyc_sessions where id = $1", [id]))
    return token
  })

type Fields = Readonly<Record<string, unknown>>

/**
 * A company with a key that has every scope and an instance, and the routes with the company's credentials.
 */
export const companyOn = (server: RunningServer, instance: Fields = {}) =>
  Effect.gen(function* () {
    const member = yield* signUp(server)
    const key = yield* createKey(server, member)
    const kyc = yield* createInstance(server, member, instance)
    return companyOf(server, member, key, kyc)
  })

/** A company that exists, with the given key and instance. */
export const companyOf = (
  server: RunningServer,
  member: Member,
  key: { readonly id: string; readonly token: string },
  instance: { readonly id: string; readonly publicKey: string }
) => ({
  server,
  member,
  key,
  instance,

  /** Creates a session of the instance; `fields` are added to the request or replace its fields. */
  create: (fields: Fields = {}, headers: Record<string, string> = { "x-api-key": key.token }) =>
    send(server, "POST", "/api/kyc/public/sessions", {
      headers,
      json: { instanceId: instance.id, ...fields }
    }),

  newSession: (fields: Fields = {}) => createSession(server, key.token, instance.id, fields),

  /** An expired session. */
  expiredSession: (fields: Fields = {}) =>
    Effect.tap(createSession(server, key.token, instance.id, fields), ({ id }) =>
      Effect.orDie(expire(server, id))
    ),

  expire: ({ id }: TestSession) => Effect.orDie(expire(server, id)),

  read: ({ path, token }: TestSession) => send(server, "GET", `${path}?token=${token}`),

  progress: ({ path, token }: TestSession, fields: Fields = {}) =>
    send(server, "POST", `${path}/progress`, { json: { token, ...fields } }),

  complete: ({ path, token }: TestSession, fields: Fields = {}) =>
    send(server, "POST", `${path}/complete`, { json: { token, ...fields } }),

  /** Sends a request with the platform key. */
  asPartner: (path: string) => send(server, "GET", path, { headers: { "x-api-key": key.token } }),

  /** Sends a request as the dashboard user. */
  asMember: (method: string, path: string, json?: unknown) =>
    send(server, method, path, {
      headers: { cookie: member.cookie },
      ...(json === undefined ? {} : { json })
    })
})
export type Company = ReturnType<typeof companyOf>

/** A company on its own server with its own settings. */
export const startCompany = (
  environment: Environment = {},
  instance: Fields = {}
): Effect.Effect<Company, unknown, Scope.Scope> =>
  Effect.flatMap(startServer(environment), (server) => companyOn(server, instance))

/**
 * One company on the shared server for all tests of a file. Each test only looks at the sessions that it
 * created.
 */
export class Partner extends Context.Tag("Partner")<Partner, Company>() {
  static readonly layer = Layer.effect(Partner, Effect.flatMap(sharedServer, companyOn))
}
