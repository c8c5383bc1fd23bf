/** How long a process still accepts a key that another process has revoked. */
import { Effect } from "effect"
import { createKey, send, signUp } from "../../support/client.ts"
import { doorlock, postgres } from "../servers.ts"
import { figure } from "../table.ts"

const tries = 20

export const revocation = Effect.gen(function* () {
  const databaseUrl = yield* postgres
  // Both need the same key, so that each accepts the other's sign-ins.
  const environment = { SECRET_KEY: crypto.randomUUID() }
  const [here, there] = [
    { ...(yield* doorlock(databaseUrl, environment)), databaseUrl },
    yield* doorlock(databaseUrl, environment)
  ]
  const member = yield* signUp(here)
  const revoke = Effect.gen(function* () {
    const key = yield* createKey(here, member)
    const asked = Effect.map(
      send(there, "GET", "/api/kyc/sessions", { headers: { "x-api-key": key.token } }),
      ({ status }) => status
    )
    // From now on the key is cached.
    if ((yield* asked) !== 200) return yield* Effect.die(new Error("A good key is refused"))
    yield* send(here, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } })
    const began = performance.now()
    while ((yield* asked) === 200);
    return performance.now() - began
  })
  const worst = Math.max(...(yield* Effect.replicateEffect(revoke, tries)))
  yield* figure(
    `a revoked key is refused by another process, at the latest of ${tries}`,
    `${worst.toFixed(0)} ms`,
    "1 s",
    worst <= 1_000
  )
})
