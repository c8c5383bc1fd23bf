import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, row, rows } from "../../db/sql.ts"

const SealedKey = Schema.Struct({ id: Schema.String, sealed: Schema.Uint8ArrayFromSelf })
export type SealedKey = typeof SealedKey.Type

const PublicKey = Schema.Struct({ id: Schema.String, public_key: Schema.Uint8ArrayFromSelf })

/** A new key, its private part encrypted. */
interface NewKey {
  readonly id: string
  readonly publicKey: Uint8Array
  readonly sealed: Uint8Array
}

/** The keys that sign receipts. At most one is current, which an index ensures. */
export class ReceiptRepo extends Effect.Service<ReceiptRepo>()("ReceiptRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeCurrent = row(SealedKey)
    const decodePublished = rows(PublicKey)
    const decodeCompany = onlyRow(Schema.Struct({ name: Schema.String }))
    const decodeCarried = onlyRow(Schema.Struct({ carried: Schema.Boolean }))
    const decodeMonthEnd = onlyRow(Schema.Struct({ due: Schema.DateFromSelf }))

    return {
      current: decodeCurrent(sql`select id, sealed from receipt_keys where retired_at is null`),

      retire: (id: string): Effect.Effect<void> =>
        sql`update receipt_keys set retired_at = now() where id = ${id} and retired_at is null`.pipe(
          orDie,
          Effect.asVoid
        ),

      /** Does nothing if there is a current key: another process was faster. */
      insert: ({ id, publicKey, sealed }: NewKey): Effect.Effect<void> =>
        sql`
          insert into receipt_keys (id, public_key, sealed) values (${id}, ${publicKey}, ${sealed})
          on conflict do nothing`.pipe(orDie, Effect.asVoid),

      /** All there have ever been, newest first. */
      published: decodePublished(
        sql`select id, public_key from receipt_keys order by created_at desc, id desc`
      ),

      /**
       * When the session is redacted at the latest: so many months after the end of the month in which it was created, or in a partition of
       * several months after that in which it ended.
       */
      monthEnd: (sessionId: string, endedAt: Date | null, months: number) =>
        Effect.map(
          decodeMonthEnd(sql`
            select least(due, (date_trunc('month', ${endedAt}::timestamptz at time zone 'UTC') + make_interval(months => ${months} + 1)) at time zone 'UTC') as due
            from due_session_partitions(${months}, 'infinity') where ${sessionId}::uuid >= low and ${sessionId}::uuid < high`),
          ({ due }) => due
        ),

      isCarriedOn: (sessionId: string) =>
        Effect.map(
          decodeCarried(
            sql`select next_session_id is not null as carried from kyc_sessions where id = ${sessionId}`
          ),
          ({ carried }) => carried
        ),

      companyName: (id: string) =>
        Effect.map(decodeCompany(sql`select name from companies where id = ${id}`), ({ name }) => name)
    }
  })
}) {}
