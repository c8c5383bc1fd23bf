/** Memory of the program, when it has done nothing and when it has done much. */
import * as Effect from "effect/Effect"
import { demoInstance } from "../../../src/kyc/instances/demo.ts"
import { createInstance, createKey, createSession, signUp } from "../../support/client.ts"
import { memoryOf } from "../../support/program.ts"
import { fullSpeed, type Request } from "../load.ts"
import { doorlockOnItsOwn } from "../servers.ts"
import { figure } from "../table.ts"

const megabyte = 1_048_576
const idleSeconds = 10
const quarter = 250_000

/** Seconds of load at a time. */
const slice = 5

const megabytes = (bytes: number) => `${(bytes / megabyte).toFixed(0)} MB`

const json = { "content-type": "application/json" }

interface Scene {
  readonly key: string
  readonly instanceId: string
  readonly sessions: ReadonlyArray<{ readonly id: string; readonly path: string; readonly token: string }>
}

/** What partners and browsers ask for: three reads by a browser, and one each of what else there is. */
const mixed = ({ instanceId, key, sessions }: Scene): ReadonlyArray<Request> => {
  const byKey = { "x-api-key": key }
  return sessions.flatMap(({ id, path, token }): ReadonlyArray<Request> => {
    const read = { path: `${path}?token=${token}` }
    return [
      read,
      { path: `/api/kyc/sessions/${id}`, headers: byKey },
      read,
      {
        path: "/api/kyc/public/sessions",
        method: "POST",
        headers: { ...json, ...byKey },
        body: JSON.stringify({ instanceId, externalReference: "customer-42" })
      },
      read,
      { path: "/api/kyc/sessions?limit=2", headers: byKey },
      {
        path: `${path}/progress`,
        method: "POST",
        headers: json,
        body: JSON.stringify({ token, status: "running", progress: { s_person: { givenName: "Ada" } } })
      },
      { path: "/healthz" }
    ]
  })
}

export const memory = Effect.gen(function* () {
  const service = yield* doorlockOnItsOwn
  const [pid = 0] = service.pids
  const now = Effect.promise(() => memoryOf(pid))
  yield* Effect.sleep(`${idleSeconds} seconds`)
  const idle = yield* now
  yield* figure(`memory ${idleSeconds} s after the start`, megabytes(idle), "120 MB", idle <= 120 * megabyte)

  const member = yield* signUp(service)
  const key = (yield* createKey(service, member)).token
  const instanceId = (yield* createInstance(service, member, demoInstance)).id
  const sessions = yield* Effect.replicateEffect(createSession(service, key, instanceId), 64)
  const each = mixed({ key, instanceId, sessions })
  const load = Effect.promise(() => fullSpeed({ url: service.url, each }, service.pids, slice))
  const found: Array<number> = []
  for (let answered = 0; found.length < 4; ) {
    answered += (yield* load).requestsPerSecond * slice
    if (answered >= quarter * (found.length + 1)) found.push(yield* now)
  }
  const [, half = 0] = found
  const last = found.at(-1) ?? 0
  yield* figure(
    "memory after 250,000, 500,000, 750,000 and 1,000,000 requests",
    found.map(megabytes).join(", "),
    "flat (a tenth more than after the half), at most 250 MB",
    last <= 250 * megabyte && last <= 1.1 * half
  )
})
