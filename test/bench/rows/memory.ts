/** Memory of the program, when it has done nothing and when it has done much. */
import { Effect } from "effect"
import { demoInstance } from "../../../src/kyc/instances/demo.ts"
import { createInstance, createKey, createSession, signUp } from "../../support/client.ts"
import { memoryOf } from "../../support/program.ts"
import { fullSpeed, type Request } from "../load.ts"
import { doorlockOnItsOwn } from "../servers.ts"
import { figure } from "../table.ts"

const megabyte = 1_048_576
const idleSeconds = 10

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
  let answered = 0
  let half = 0
  for (const goal of [250_000, 500_000, 750_000, 1_000_000]) {
    while (answered < goal) answered += (yield* load).requestsPerSecond * slice
    const used = yield* now
    if (goal === 500_000) half = used
    yield* figure(
      `memory after ${goal.toLocaleString("en")} requests`,
      megabytes(used),
      goal > 500_000 ? "250 MB, a tenth more than after 500,000" : "250 MB",
      used <= 250 * megabyte && (goal <= 500_000 || used <= 1.1 * half)
    )
  }
})
