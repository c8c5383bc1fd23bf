/** What refusing a made-up key costs, against a route that does nothing. */
import { Effect } from "effect"
import { newToken } from "../../../src/secrets/token.ts"
import type { Call } from "../load.ts"
import { doorlockOnItsOwn, type Server } from "../servers.ts"
import { compare } from "../table.ts"

export const refusals = Effect.gen(function* () {
  const service = yield* doorlockOnItsOwn
  const madeUp: [Server, Call] = [
    service,
    {
      url: `${service.url}/api/kyc/sessions`,
      headers: { "x-api-key": newToken("dlk_").slice(0, -1).concat("0") },
      refused: true
    }
  ]
  const health: [Server, Call] = [service, { url: `${service.url}/healthz` }]
  yield* compare("refuse a made-up platform key", "/healthz of doorlock", 0.95, madeUp, health)
})
