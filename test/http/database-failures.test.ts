/** contract.md#database-failures: a database that takes no connections. `faults/database` has one that is not reached, or stops responding. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { onboard } from "../support/client.ts"
import { ask, everyRouteFails, recovers } from "../support/database/faulty-database.ts"
import { withoutDatabase } from "../support/database/outage.ts"
import { secret } from "../support/kyc/captcha.ts"
import { startServer } from "../support/server.ts"

it.scopedLive("no database: each route's own 500, with a request id, and recovery once it is back", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ CAPTCHA_JWT_SECRET: secret })
    const company = yield* onboard(server)
    yield* withoutDatabase(
      server,
      everyRouteFails(server, (route) => ask(server, company, route), 1)
    )
    yield* recovers(server, company)
  })
)
