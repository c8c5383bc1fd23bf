/**
 * KYC sessions as tests speak of them: a company shared by the tests of a file, the routes by their name, and
 * the shapes of what no test can know beforehand.
 */
import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
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

/** What a test compares of an answer: its status and its whole body. An error has to carry the code of its sentence. */
export const gist = (answer: Answer) => {
  const { body, status } = answer
  if (status >= 400) expect(answer.headers.get("doorlock-error")).toEqual(codeFor(text(body, "error")))
  return { status, body }
}

/** The gist of an answer in the minimal error form. */
export const refusal = (status: number, error: string) => ({ status, body: { error } })

/** An id that is well-formed and names nothing. */
export const unknownId = "01900000-0000-7000-8000-000000000000"

export const milliseconds = (body: unknown, ...path: ReadonlyArray<string | number>): number =>
  Date.parse(text(body, ...path))

/** A session token that is well-formed and opens nothing: that of a session which has been deleted. */
export const strayToken = (given: Company): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { id, token } = yield* given.newSession()
    yield* Effect.orDie(execute(given.server.databaseUrl, "delete from kyc_sessions where id = $1", [id]))
    return token
  })

type Fields = Readonly<Record<string, unknown>>

/** A company with a key that may do everything and an instance, and the routes as it calls them. */
export const companyOn = (server: RunningServer, instance: Fields = {}) =>
  Effect.gen(function* () {
    const member = yield* signUp(server)
    const key = yield* createKey(server, member)
    const kyc = yield* createInstance(server, member, instance)
    return company(server, member, key, kyc)
  })

const company = (
  server: RunningServer,
  member: Member,
  key: { readonly id: string; readonly token: string },
  instance: { readonly id: string; readonly publicKey: string }
) => ({
  server,
  member,
  key,
  instance,

  /** Asks for a session of the instance; `fields` are added to, or replace, those of the request. */
  create: (fields: Fields = {}, headers: Record<string, string> = { "x-api-key": key.token }) =>
    send(server, "POST", "/api/kyc/public/sessions", {
      headers,
      json: { instanceId: instance.id, ...fields }
    }),

  newSession: (fields: Fields = {}) => createSession(server, key.token, instance.id, fields),

  /** A session past its expiry. */
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

  /** A request by the platform key. */
  asPartner: (path: string) => send(server, "GET", path, { headers: { "x-api-key": key.token } }),

  /** A request by the dashboard user. */
  asMember: (method: string, path: string, json?: unknown) =>
    send(server, method, path, {
      headers: { cookie: member.cookie },
      ...(json === undefined ? {} : { json })
    })
})
export type Company = ReturnType<typeof company>

/** A company on a server of its own, with settings of its own. */
export const startCompany = (
  environment: Environment = {},
  instance: Fields = {}
): Effect.Effect<Company, unknown, Scope.Scope> =>
  Effect.flatMap(startServer(environment), (server) => companyOn(server, instance))

/** One company for the tests of a file, which look only at the sessions they made, on the shared server. */
export class Partner extends Context.Tag("Partner")<Partner, Company>() {
  static readonly layer = Layer.effect(Partner, Effect.flatMap(sharedServer, companyOn))
}
