import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, row, uuid } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { type SessionKey, SessionState } from "../sessions/model.ts"
import type { CaptchaClaims } from "./model.ts"

const SessionRow = Schema.Struct({ ...SessionState.fields, config: JsonObject })

const ConsumedRow = Schema.Struct({
  /** False: the session is finished or expired, and nothing was stored. */
  open: Schema.Boolean,
  /** False for an open session: another session has used the token. */
  taken: Schema.Boolean
})

/** The end of the year 2099: a token may claim a time that Postgres cannot store. */
const lastSecond = 4_102_444_800

/** Captcha outcomes and used tokens in Postgres. */
export class CaptchaRepo extends Effect.Service<CaptchaRepo>()("CaptchaRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(SessionRow)
    const decodeConsumed = onlyRow(ConsumedRow)

    return {
      findSession: ({ id, tokenHash }: SessionKey) =>
        decodeSession(sql`
          select s.status, s.expires_at <= now() as expired, v.config
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where s.id = ${uuid(id)} and s.token_hash = ${tokenHash}`),

      /**
       * Marks the token as used by the session, unless another has used it, and records the success. Does
       * neither if the session is finished or expired; the lock preserves its state until the write.
       */
      consume: (sessionId: string, jtiHash: Uint8Array, { exp, score }: CaptchaClaims) =>
        decodeConsumed(sql`
          with open as (
            select id, now() as at from kyc_sessions
            where id = ${sessionId} and status in ('created', 'running') and expires_at > now()
            for no key update
          ), taken as (
            insert into kyc_captcha_tokens as t (jti_hash, session_id, expires_at)
            select ${jtiHash}, id, to_timestamp(least(${exp}::float8, ${lastSecond})) from open
            on conflict (jti_hash) do update set expires_at = greatest(t.expires_at, excluded.expires_at)
              where t.session_id = excluded.session_id
            returning session_id
          ), recorded as (
            update kyc_sessions s set captcha_verified_at = coalesce(s.captcha_verified_at, open.at),
              captcha_score = greatest(s.captcha_score, ${score})
            from open join taken on taken.session_id = open.id where s.id = ${sessionId}
          )
          select exists (select from open) as open, exists (select from taken) as taken`),

      /** Deleted a day late: the process's clock, not the database's, decides when a token expires. */
      deleteExpiredTokens: Effect.asVoid(
        orDie(sql`delete from kyc_captcha_tokens where expires_at < now() - interval '1 day'`)
      )
    }
  })
}) {}
