import { Effect } from "effect"
import type { Role } from "../../src/accounts/model.ts"
import { execute } from "./postgres.ts"
import type { RunningServer } from "./server.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The body as text. */
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, with its content type. */
  readonly json?: unknown
  /** Sent as is, without a content type. */
  readonly body?: BodyInit
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends one request over real HTTP; does not follow redirects. */
export const send = (
  server: Pick<RunningServer, "url">,
  method: string,
  path: string,
  options: SendOptions = {}
): Effect.Effect<Answer> =>
  Effect.promise(async (signal) => {
    const { body, headers = {}, json } = options
    const response = await fetch(server.url + path, {
      method,
      redirect: "manual",
      signal,
      headers: json === undefined ? headers : { "content-type": "application/json", ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  })

/** A field of a JSON response, by its path; dies if the field is missing, so the test fails at that point. */
export const field = (body: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null || !(key in value)) {
      throw new Error(`No ${path.join(".")} in ${JSON.stringify(body)}`)
    }
    return Reflect.get(value, key)
  }, body)

/** A string field of a JSON response. */
export const text = (body: unknown, ...path: ReadonlyArray<string | number>): string => {
  const value = field(body, ...path)
  if (typeof value !== "string") throw new Error(`${path.join(".")} is no string in ${JSON.stringify(body)}`)
  return value
}

/** Sends a request that must succeed, and returns its JSON response. */
const need = (status: number) =>
  Effect.flatMap((answer: Answer) =>
    answer.status === status
      ? Effect.succeed(answer)
      : Effect.die(new Error(`Expected ${status}, got ${answer.status} ${answer.text}`))
  )

export interface Member {
  /** The dashboard credential as a `cookie` header. */
  readonly cookie: string
  readonly email: string
  readonly password: string
  readonly userId: string
  readonly companyId: string
}

/** A new company and its signed-in owner. */
export const signUp = (
  server: RunningServer,
  email = `owner-${crypto.randomUUID()}@example.com`
): Effect.Effect<Member> => {
  const password = "correct horse battery staple"
  return send(server, "POST", "/api/auth/signup", { json: { companyName: "Acme", email, password } }).pipe(
    need(201),
    Effect.map(({ body, headers }) => ({
      cookie: (headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "",
      email,
      password,
      userId: text(body, "user", "id"),
      companyId: text(body, "company", "id")
    }))
  )
}

/** Another user of the company, who has accepted an invitation and is signed in. */
export const join = (server: RunningServer, owner: Member, role: Role) =>
  Effect.gen(function* () {
    const email = `${role}-${crypto.randomUUID()}@example.com`
    const { password } = owner
    const invited = yield* send(server, "POST", "/api/invitations", {
      headers: { cookie: owner.cookie },
      json: { email, role }
    }).pipe(need(201))
    const token = text(invited.body, "url").split("#token=")[1] ?? ""
    const { body, headers } = yield* send(server, "POST", "/api/auth/invitation/accept", {
      json: { token, password }
    }).pipe(need(201))
    const cookie = (headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
    return { cookie, email, password, userId: text(body, "user", "id"), companyId: owner.companyId }
  }) satisfies Effect.Effect<Member>

/** A platform key's id and token. */
export const createKey = (server: RunningServer, { cookie }: Member, key: object = {}) =>
  send(server, "POST", "/api/api-keys", { headers: { cookie }, json: { name: "test", ...key } }).pipe(
    need(201),
    Effect.map(({ body }) => ({ id: text(body, "apiKey", "id"), token: text(body, "token") }))
  )

/** A KYC instance's id and public key. */
export const createInstance = (server: RunningServer, { cookie }: Member, instance: object = {}) =>
  send(server, "POST", "/api/kyc/instances", {
    headers: { cookie },
    json: { name: "test", ...instance }
  }).pipe(
    need(201),
    Effect.map(({ body }) => ({
      id: text(body, "instance", "id"),
      publicKey: text(body, "instance", "public_key")
    }))
  )

export interface TestSession {
  readonly id: string
  readonly token: string
  /** `/api/kyc/public/sessions/<id>` */
  readonly path: string
}

/** A KYC session of the instance; `session` has further fields of the request. */
export const createSession = (
  server: RunningServer,
  apiKey: string,
  instanceId: string,
  session: object = {}
): Effect.Effect<TestSession> =>
  send(server, "POST", "/api/kyc/public/sessions", {
    headers: { "x-api-key": apiKey },
    json: { instanceId, ...session }
  }).pipe(
    need(201),
    Effect.map(({ body }) => {
      const id = text(body, "session", "id")
      return { id, token: text(body, "sessionToken"), path: `/api/kyc/public/sessions/${id}` }
    })
  )

/** A company with a key that has every scope, an instance, and a session of the instance. */
export const onboard = (server: RunningServer, session: object = {}, instance: object = {}) =>
  Effect.gen(function* () {
    const member = yield* signUp(server)
    const key = yield* createKey(server, member)
    const kyc = yield* createInstance(server, member, instance)
    return { member, key, instance: kyc, session: yield* createSession(server, key.token, kyc.id, session) }
  })

/** Moves a session's expiry into the past on the database's clock, so that no test has to wait for it. */
export const expire = (server: RunningServer, sessionId: string) =>
  execute(
    server.databaseUrl,
    "update kyc_sessions set expires_at = now() - interval '1 second' where id = $1",
    [sessionId]
  )
