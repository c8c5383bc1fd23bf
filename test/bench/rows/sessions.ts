/** What a session costs, against the same written by hand. */
import { Effect, Redacted } from "effect"
import { createInstance, createKey, createSession, signUp } from "../../support/client.ts"
import type { Call } from "../load.ts"
import { baseline, doorlockOnItsOwn, type Server } from "../servers.ts"
import { compare, mustAgree } from "../table.ts"

const json = { "content-type": "application/json" }
const against = "Bun.serve and pg"

export const sessions = Effect.gen(function* () {
  const service = yield* doorlockOnItsOwn
  const written = yield* baseline("sessions", {
    DATABASE_URL: Redacted.value(service.databaseUrl),
    APP_URL: service.url
  })
  const member = yield* signUp(service)
  const key = yield* createKey(service, member)
  const instance = yield* createInstance(service, member)
  const session = yield* createSession(service, key.token, instance.id, {
    externalReference: "customer-42",
    metadata: { plan: "gold" }
  })

  const read = (server: Server): [Server, Call] => [
    server,
    { url: `${server.url}${session.path}?token=${session.token}` }
  ]
  yield* mustAgree(read(service)[1], read(written)[1], true)
  yield* compare("read a session", against, 0.9, read(service), read(written))

  const create = (server: Server): [Server, Call] => [
    server,
    {
      url: `${server.url}/api/kyc/public/sessions`,
      method: "POST",
      headers: { ...json, "x-api-key": key.token },
      body: JSON.stringify({ instanceId: instance.id, externalReference: "customer-42" })
    }
  ]
  yield* mustAgree(create(service)[1], create(written)[1], true)
  yield* compare("create a session with a key", against, 0.9, create(service), create(written))

  // Each its own session: two servers at one row would wait for one another.
  const progress = (server: Server, { path, token }: typeof session): [Server, Call] => [
    server,
    {
      url: `${server.url}${path}/progress`,
      method: "POST",
      headers: json,
      body: JSON.stringify({ token, status: "running", progress: { s_person: { givenName: "Ada" } } })
    }
  ]
  const another = yield* createSession(service, key.token, instance.id)
  yield* mustAgree(progress(service, session)[1], progress(written, another)[1], true)
  yield* compare("progress", against, 0.9, progress(service, session), progress(written, another))
})
