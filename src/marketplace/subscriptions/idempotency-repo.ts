import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { json, onlyRow, orDie, row } from "../../db/sql.ts"
import { lockOf, type RequestIdentity } from "./idempotency-model.ts"

/** Number of responses deleted per statement. */
const batchSize = 10_000

/** Responses stored for 24 hours by the database's clock, under the Idempotency-Key of their request. */
export class IdempotencyRepo extends Effect.Service<IdempotencyRepo>()("IdempotencyRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeLock = onlyRow(Schema.Struct({ locked: Schema.Boolean }))
    const decodeAnswer = row(Schema.Struct({ same: Schema.Boolean, answer: Schema.Unknown }))
    const decodeDeleted = onlyRow(Schema.Struct({ deleted: Schema.Number }))
    const life = sql.literal("interval '24 hours'")

    return {
      /** Locks the request until the transaction ends. False, without waiting, if another one holds it. */
      take: (request: RequestIdentity) =>
        Effect.map(
          decodeLock(sql`select pg_try_advisory_xact_lock(${lockOf(request)}::bigint) as locked`),
          ({ locked }) => locked
        ),

      /** The stored response, and whether its request had this fingerprint. */
      find: ({ companyId, keyHash, route }: RequestIdentity, fingerprint: Uint8Array) =>
        decodeAnswer(sql`
          select fingerprint = ${fingerprint} as same, answer from idempotent_answers
          where company_id = ${companyId} and route = ${route} and key_hash = ${keyHash}
            and created_at > now() - ${life}`),

      /** Stores a response, replacing an expired one. */
      keep: ({ companyId, keyHash, route }: RequestIdentity, fingerprint: Uint8Array, answer: unknown) =>
        Effect.asVoid(
          orDie(sql`
            insert into idempotent_answers (company_id, route, key_hash, fingerprint, answer)
            values (${companyId}, ${route}, ${keyHash}, ${fingerprint}, ${json(answer)})
            on conflict (company_id, route, key_hash) do update
            set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()`)
        ),

      /** In batches: a single statement for all of them could exceed the statement timeout. */
      deleteOldAnswers: Effect.asVoid(
        Effect.repeat(
          decodeDeleted(sql`
            with deleted as (
              delete from idempotent_answers where created_at <= now() - ${life} and ctid = any(array(
                select ctid from idempotent_answers where created_at <= now() - ${life}
                order by created_at limit ${sql.literal(String(batchSize))}))
              returning 1
            ) select count(*)::int as deleted from deleted`),
          { until: ({ deleted }) => deleted === 0 }
        )
      )
    }
  })
}) {}
