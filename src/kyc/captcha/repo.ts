import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { orDie, row } from "../../db/sql.ts"
import { JsonObject } from "../../model.ts"
import { Status } from "../sessions/model.ts"
import type { SessionKey } from "../sessions/repo.ts"

const SessionRow = Schema.Struct({ status: Status, expired: Schema.Boolean, config: JsonObject })

const OwnerRow = Schema.Struct({ session_id: Schema.String })

/** Captcha outcomes and used tokens in Postgres. */
export class CaptchaRepo extends Effect.Service<CaptchaRepo>()("CaptchaRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(SessionRow)
    const decodeOwner = row(OwnerRow)

    return {
      findSession: ({ id, tokenHash }: SessionKey) =>
        decodeSession(sql`
          select s.status, s.expires_at <= now() as expired, v.config
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where s.token_hash = ${tokenHash} and s.id::text = ${id}`),

      /** Gives the token with `jtiHash` to the session, unless one has it; then who that is. */
      consume: (jtiHash: Uint8Array, sessionId: string, expiresAtSeconds: number) =>
        decodeOwner(sql`
          insert into kyc_captcha_tokens (jti_hash, session_id, expires_at)
          values (${jtiHash}, ${sessionId}, to_timestamp(least(${expiresAtSeconds}::float8, 4102444800)))
          on conflict do nothing
          returning session_id`).pipe(
          Effect.flatMap(
            Option.match({
              onSome: (owner) => Effect.succeedSome(owner),
              // In a statement of its own, which sees what the conflicting one has committed.
              onNone: () =>
                decodeOwner(sql`select session_id from kyc_captcha_tokens where jti_hash = ${jtiHash}`)
            })
          ),
          Effect.map(Option.map(({ session_id }) => session_id))
        ),

      /** Records the success; false when the session has been finished or has expired meanwhile. */
      recordSuccess: (sessionId: string, score: number) =>
        Effect.map(
          decodeOwner(sql`
            update kyc_sessions set captcha_verified_at = coalesce(captcha_verified_at, now()),
              captcha_score = greatest(captcha_score, ${score})
            where id = ${sessionId} and status in ('created', 'running') and expires_at > now()
            returning id as session_id`),
          Option.isSome
        ),

      /** Tokens past their own end are refused as such; that they were used need not be remembered. */
      deleteExpiredTokens: Effect.asVoid(orDie(sql`delete from kyc_captcha_tokens where expires_at < now()`))
    }
  })
}) {}
