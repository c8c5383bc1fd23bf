import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { batcher } from "../../db/batcher.ts"
import { recordingEvents } from "../../db/outbox.ts"
import { json, onlyRow, rowCount, rows } from "../../db/sql.ts"
import { sessionEvents } from "./events-repo.ts"
import type { Mode, SessionRequest } from "./model.ts"
import type { Sealed, SealedKey } from "./sealing-model.ts"

const CreatedRow = Schema.Struct({
  /** Of the session among those that the statement creates. */
  place: Schema.Number,
  instance_id: Schema.String,
  /** False: the instance belongs to another company, and nothing was created. */
  own: Schema.Boolean,
  version_id: Schema.String,
  created_at: Schema.NullOr(Schema.DateFromSelf),
  expires_at: Schema.NullOr(Schema.DateFromSelf)
})

/** What is stored of a session under its Idempotency-Key: the facts that a retry cannot know. Never the token. */
const KeptSession = Schema.Struct({
  session_id: Schema.String,
  instance_id: Schema.String,
  created_at: Schema.Date,
  expires_at: Schema.Date,
  /** SHA-256 in hex, to verify the token when it is derived again. */
  token_hash: Schema.String
})

/** What a session that was resumed has instead of its first token. */
const ResumedSession = Schema.Struct({
  expires_at: Schema.Date,
  /** In hex. */
  token_hash: Schema.String,
  token_salt: Schema.Uint8ArrayFromHex
})

const OnceRow = Schema.Struct({
  /** Whether the instance belongs to the company; null if there is no such instance. */
  own: Schema.NullOr(Schema.Boolean),
  /** The fingerprint of the request that created the session; null, like `kept`, if there is no session. */
  fingerprint: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  kept: Schema.NullOr(KeptSession),
  resumed: Schema.NullOr(ResumedSession)
})

const creationRoute = "POST /api/kyc/public/sessions"

export interface NewSession extends Omit<SessionRequest, "metadata"> {
  readonly id: string
  readonly companyId: string
  readonly mode: Mode
  readonly expiresInSeconds: number
  readonly tokenHash: Uint8Array
  readonly metadata: Sealed
  readonly key: SealedKey
}

/** A session as `jsonb_to_recordset` reads it. */
const givenSession = ({ key, tokenHash, ...added }: NewSession, place: number) => ({
  ...added,
  place,
  tokenHash: tokenHash.toHex(),
  sealedKey: key.sealed_key.toHex(),
  sealedWith: key.sealed_with
})

/** Creates sessions. All times come from the database's clock. */
export class SessionCreationRepo extends Effect.Service<SessionCreationRepo>()("SessionCreationRepo", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCreated = rows(CreatedRow)
    const decodeOnce = onlyRow(OnceRow)
    const events = sessionEvents(sql)

    /**
     * The CTE `instance`: the requested sessions, each with its enabled instance, which may be another company's. `offset 0` makes the
     * planner look up each instance: it cannot know how few there are.
     */
    const instances = (asked: ReadonlyArray<NewSession>): Statement.Fragment => sql`
      instance as materialized (
        select given.*, found.* from jsonb_to_recordset(${json(asked.map(givenSession))}) as given (
          place int, id uuid, "instanceId" uuid, "instanceKey" text, "companyId" uuid, mode text,
          "externalReference" text, "successRedirectUrl" text, "failureRedirectUrl" text, metadata jsonb,
          "tokenHash" text, "sealedKey" text, "sealedWith" text, "expiresInSeconds" float8)
        cross join lateral (
          select id as instance_id, company_id, version_id from kyc_instances
          where id = given."instanceId" and disabled_at is null
            and (given."instanceKey" is null or public_key = given."instanceKey")
          union all
          select id, company_id, version_id from kyc_instances
          where given."instanceId" is null and public_key = given."instanceKey" and disabled_at is null
          offset 0
        ) as found
      )`

    /** Inserts the sessions whose instance is their company's. */
    const inserted = (condition = sql``): Statement.Fragment => sql`
      insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference,
        success_redirect_url, failure_redirect_url, metadata, token_hash, expires_at)
      select id, instance_id, company_id, version_id, mode, "externalReference", "successRedirectUrl",
        "failureRedirectUrl", metadata, decode("tokenHash", 'hex'), now() + make_interval(secs => "expiresInSeconds")
      from instance where company_id = "companyId" ${condition}
      returning *`

    /** Stores the keys of the sessions in `created`. */
    const keyed = sql.literal(`
      insert into kyc_session_keys (session_id, sealed_key, sealed_with)
      select created.id, decode("sealedKey", 'hex'), "sealedWith" from created join instance using (id)`)

    const insertAll = (asked: ReadonlyArray<NewSession>) =>
      Effect.map(
        decodeCreated(sql`
          with ${instances(asked)}, created as (${inserted()}), keyed as (${keyed}), recorded as (${events.created})
          select place, instance.instance_id, instance.company_id = "companyId" as own, instance.version_id,
            created.created_at, created.expires_at
          from instance left join created on created.id = instance.id`).pipe(recordingEvents),
        (made) => new Map(made.map((one) => [one.place, one]))
      )

    return {
      /** None: there is no such instance, or it is disabled. Sessions that are created at the same time share a statement. */
      insert: yield* batcher(insertAll),

      /** Like `insert`, in the transaction of its caller. */
      insertAlone: (added: NewSession) =>
        Effect.map(insertAll([added]), (made) => Option.fromNullable(made.get(0))),

      /** Whether it was not noted yet that this user or key was shown a link to the session. With the link of a finished session nobody can do anything. */
      noteShown: (companyId: string, id: string, shownTo: string | null) =>
        Effect.map(
          rowCount(sql`
            update kyc_sessions set link_shown_to = link_shown_to || ${shownTo}::uuid
            where company_id = ${companyId} and id = ${id} and ${shownTo}::uuid <> all (link_shown_to)
              and status in ('created', 'running') and redacted_at is null
            returning id`),
          (noted) => noted > 0
        ),

      /**
       * The session created under the same Idempotency-Key in the last 24 hours wins. Of several requests at
       * once, one creates it; the others wait for the lock on the key's row.
       */
      insertOnce: (added: NewSession, keyHash: Uint8Array, fingerprint: Uint8Array) => {
        const once = decodeOnce(sql`
          with ${instances([added])}, kept as (
            select fingerprint, answer from idempotent_answers
            where company_id = ${added.companyId} and route = ${creationRoute} and key_hash = ${keyHash}
              and created_at > now() - interval '24 hours'
          ), claimed as (
            insert into idempotent_answers as known (company_id, route, key_hash, fingerprint, answer)
            select company_id, ${creationRoute}, ${keyHash}, ${fingerprint}, jsonb_build_object(
              'session_id', id, 'instance_id', instance_id, 'created_at', now()::timestamptz(3),
              'expires_at', (now() + make_interval(secs => "expiresInSeconds"))::timestamptz(3),
              'token_hash', "tokenHash")
            from instance where company_id = "companyId" and not exists (select from kept)
            on conflict (company_id, route, key_hash) do update set
              fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at
              where known.created_at <= now() - interval '24 hours'
            returning fingerprint, answer
          ), created as (${inserted(sql`and exists (select from claimed)`)}), keyed as (${keyed}), recorded as (${events.created})
          select (select company_id = "companyId" from instance) as own,
            given.fingerprint, given.answer as kept, (
              select jsonb_build_object('expires_at', s.expires_at, 'token_hash', encode(s.token_hash, 'hex'),
                'token_salt', encode(s.token_salt, 'hex'))
              from kyc_sessions s where s.id = (given.answer ->> 'session_id')::uuid and s.token_salt is not null
            ) as resumed
          from (select) as one left join (select * from kept union all select * from claimed) as given on true`).pipe(
          recordingEvents
        )
        // Another request created the session while this one waited; only a second run's snapshot has it.
        return Effect.flatMap(once, (made) =>
          made.own === true && made.kept === null ? once : Effect.succeed(made)
        )
      }
    }
  })
}) {}
