/** Lets time pass for rows of a server's database, and its background notice it. */
import { Context, Effect } from "effect"
import { ApiKeyRepo } from "../../src/keys/repo.ts"
import { execute } from "./postgres.ts"
import type { OwnServer } from "./server.ts"

/** As if these sessions had expired a minute ago, and nobody had looked since. Looks twice. */
export const expireSessions = ({ databaseUrl, run }: OwnServer, ids: ReadonlyArray<string>) =>
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
    yield* Effect.repeatN(run("kyc.expiry"), 1)
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
  }).pipe(Effect.orDie)
