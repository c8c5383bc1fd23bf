import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { orDie, row, uuid } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import { Mode, type SessionKey, SessionState, Status } from "../sessions/model.ts"
import { type Device, FollowedHandoff, Handoff, lifeSeconds, maxHandoffsPerSession } from "./model.ts"

const SessionRow = Schema.Struct({ ...SessionState.fields, config: JsonObject })

const FollowedRow = Schema.typeSchema(
  Schema.Struct({ ...FollowedHandoff.fields, session_expired: Schema.Boolean })
)

const OfferedRow = Schema.typeSchema(
  Schema.Struct({
    ...Handoff.fields,
    mine: Schema.Boolean,
    mode: Mode,
    session_status: Status,
    session_expired: Schema.Boolean,
    session_expires_at: Schema.DateFromSelf,
    config: JsonObject
  })
)

const DecidedRow = Schema.typeSchema(Schema.Struct({ ...Handoff.fields, sealed: Schema.Uint8ArrayFromSelf }))

/** The key by which the second device finds a handoff. */
export interface HandoffKey {
  readonly sessionId: string
  readonly secretHash: Uint8Array
}

interface NewHandoff extends HandoffKey {
  readonly id: string
  readonly sealed: Uint8Array
}

/** Handoffs in Postgres. Claiming and confirming are one statement each, and the statement's condition decides every race. */
export class HandoffRepo extends Effect.Service<HandoffRepo>()("HandoffRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeSession = row(SessionRow)
    const decodeHandoff = row(Schema.typeSchema(Handoff))
    const decodeFollowed = row(FollowedRow)
    const decodeOffered = row(OfferedRow)
    const decodeDecided = row(DecidedRow)

    const byToken = ({ id, tokenHash }: SessionKey): Statement.Fragment =>
      sql`s.id = ${uuid(id)} and s.token_hash = ${tokenHash}`

    const bySecret = ({ secretHash, sessionId }: HandoffKey): Statement.Fragment =>
      sql`h.session_id = ${uuid(sessionId)} and h.secret_hash = ${secretHash}`

    const open = sql.literal(
      `h.expires_at > now() and s.status in ('created', 'running') and s.expires_at > now()`
    )

    const columns = sql.literal(`h.id, h.expires_at,
      case when h.status in ('waiting', 'claimed') and h.expires_at <= now() then 'expired' else h.status end as status`)

    const wiped = sql.literal(`sealed = null, code = null, ended_at = now()`)

    return {
      /** Reads and locks the session, so that its handoffs are created one after another. Needs a transaction. */
      lockSession: (key: SessionKey) =>
        decodeSession(sql`
          select s.status, s.expires_at <= now() as expired, v.config
          from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
          where ${byToken(key)}
          for no key update of s`),

      cancelOthers: (sessionId: string): Effect.Effect<void> =>
        sql`
          update kyc_handoffs set status = 'cancelled', ${wiped}
          where session_id = ${sessionId} and status in ('waiting', 'claimed')`.pipe(orDie, Effect.asVoid),

      /**
       * The handoff expires with its session at the latest. None: the session has had all its handoffs. This
       * statement counts them, because `lockSession` does not see those created while it waits for the lock.
       */
      insert: ({ id, sealed, secretHash, sessionId }: NewHandoff) =>
        decodeHandoff(sql`
          insert into kyc_handoffs as h (id, session_id, secret_hash, sealed, expires_at)
          select ${id}, s.id, ${secretHash}, ${sealed},
            least(now() + make_interval(secs => ${lifeSeconds}), s.expires_at)
          from kyc_sessions s where s.id = ${sessionId}
            and (select count(*) from kyc_handoffs where session_id = ${sessionId}) < ${maxHandoffsPerSession}
          returning ${columns}`),

      find: (key: SessionKey, handoffId: string) =>
        decodeFollowed(sql`
          select ${columns}, h.device, case when h.expires_at > now() then h.code end as code,
            s.expires_at <= now() as session_expired
          from kyc_sessions s join kyc_handoffs h on h.session_id = s.id
          where ${byToken(key)} and h.id = ${handoffId}`),

      /** False: there is no such handoff, or it has already ended. */
      cancel: (key: SessionKey, handoffId: string) =>
        Effect.map(
          orDie(sql`
            update kyc_handoffs h set status = 'cancelled', ${wiped}
            from kyc_sessions s
            where h.session_id = s.id and ${byToken(key)} and h.id = ${handoffId}
              and h.status in ('waiting', 'claimed')
            returning h.id`),
          (found) => found.length > 0
        ),

      /** Finds a handoff by its secret; `mine` says whether the device with `receiptHash` has claimed it. */
      findOffered: (key: HandoffKey, receiptHash: Uint8Array | null) =>
        decodeOffered(sql`
          select ${columns}, coalesce(h.receipt_hash = ${receiptHash}, false) as mine, s.mode, s.status as session_status,
            s.expires_at <= now() as session_expired, s.expires_at as session_expires_at, v.config
          from kyc_handoffs h join kyc_sessions s on s.id = h.session_id
            join kyc_instance_versions v on v.id = s.version_id
          where ${bySecret(key)}`),

      /** One of several devices claims it, and may repeat the claim. None: it cannot be claimed. */
      claim: (key: HandoffKey, receiptHash: Uint8Array, device: Device, code: string) =>
        decodeHandoff(sql`
          with moment as materialized (select now() as at)
          update kyc_handoffs h set status = 'claimed', receipt_hash = ${receiptHash},
            device = coalesce(h.device, ${device}), code = coalesce(h.code, ${code}),
            claimed_at = coalesce(h.claimed_at, moment.at)
          from kyc_sessions s, moment
          where s.id = h.session_id and ${bySecret(key)} and ${open}
            and (h.status = 'waiting' or (h.status = 'claimed' and h.receipt_hash = ${receiptHash}))
          returning ${columns}`),

      /** Confirms or refuses by `code`, once; of several requests, one decides. None: nothing to decide. */
      decide: (key: HandoffKey, receiptHash: Uint8Array, code: string) =>
        decodeDecided(sql`
          with decided as (
            select h.id, h.sealed, h.code = ${code} as correct
            from kyc_handoffs h join kyc_sessions s on s.id = h.session_id
            where ${bySecret(key)} and ${open} and h.status = 'claimed' and h.receipt_hash = ${receiptHash}
            for update of h
          )
          update kyc_handoffs h set status = case when decided.correct then 'confirmed' else 'refused' end, ${wiped}
          from decided where h.id = decided.id
          returning ${columns}, decided.sealed`),

      /** Deletes the secrets of expired handoffs, which nobody can use any more. */
      wipeExpired: sql`
        update kyc_handoffs set sealed = null, code = null
        where sealed is not null and expires_at < now()`.pipe(orDie, Effect.asVoid)
    }
  })
}) {}
