/** Events that only time causes, without waiting for it. */
import { Context, Effect } from "effect"
import { ApiKeyRepo } from "../../src/keys/repo.ts"
import { SessionRepo } from "../../src/kyc/sessions/repo.ts"
import { execute } from "./postgres.ts"
import type { OwnServer, RunningServer } from "./server.ts"

/** Waits for a pass of the service that has begun by itself: others skip what it has locked. */
const passed = (databaseUrl: RunningServer["databaseUrl"], name: string) =>
  execute(databaseUrl, "select from event_watermarks where name = $1 for update", [name])

/** As if these sessions had expired a minute ago, and nobody had looked since. Looks twice. */
export const expireSessions = ({ databaseUrl, services }: OwnServer, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* execute(
      databaseUrl,
      "update kyc_sessions set expires_at = now() - interval '1 minute' where id = any ($1)",
      [ids]
    )
    yield* execute(
      databaseUrl,
      "update event_watermarks set reached = now() - interval '2 minutes' where name = 'kyc.session.expired'"
    )
    yield* Effect.repeatN(Context.get(services, SessionRepo).recordExpired, 1)
    yield* passed(databaseUrl, "kyc.session.expired")
  }).pipe(Effect.orDie)

/** As if 24 days had passed for these keys, and the service had been down for the last ten. Looks twice. */
export const ageKeys = ({ databaseUrl, services }: OwnServer, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* execute(
      databaseUrl,
      `update api_keys set created_at = created_at - interval '24 days', expires_at = expires_at - interval '24 days'
       where id = any ($1)`,
      [ids]
    )
    yield* execute(
      databaseUrl,
      "update event_watermarks set reached = now() - interval '10 days' where name = 'api_key.expiring'"
    )
    yield* Effect.repeatN(Context.get(services, ApiKeyRepo).recordExpiring, 1)
    yield* passed(databaseUrl, "api_key.expiring")
  }).pipe(Effect.orDie)
