import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { json, row, rowCount, rows } from "../../db/sql.ts"
import { JsonObject } from "../../shared/schemas.ts"
import type { SessionKey } from "./model.ts"
import type { Sealed } from "./sealing-model.ts"

/** `KeptKey` as columns, for the rows of `s` joined with `k`. */
export const keptKeyColumns = "s.sealed, k.sealed_key, k.sealed_with"

export const keptKeyJoin = "left join kyc_session_keys k on k.session_id = s.id"

/** The fields of a `KeptKey`. */
export const keptKeyFields = {
  sealed: Schema.Boolean,
  sealed_key: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  sealed_with: Schema.NullOr(Schema.String)
} as const

const OwnerRow = Schema.Struct({ id: Schema.String, company_id: Schema.String, ...keptKeyFields })

const UnsealedRow = Schema.Struct({
  id: Schema.String,
  company_id: Schema.String,
  progress: JsonObject,
  result: Schema.Unknown,
  metadata: Schema.Unknown
})
export type UnsealedRow = typeof UnsealedRow.Type

/** A session whose data is stored sealed from now on. */
interface SealedRow {
  readonly id: string
  readonly progress: JsonObject
  readonly result: Sealed
  readonly metadata: Sealed
  /** In hex. */
  readonly sealed_key: string
  readonly sealed_with: string
}

/** The keys of sessions, and the sessions that have none yet. */
export class SessionKeyRepo extends Effect.Service<SessionKeyRepo>()("SessionKeyRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeOwner = row(OwnerRow)
    const decodeUnsealed = rows(Schema.typeSchema(UnsealedRow))

    const unsealed = (condition: Statement.Fragment, lock: string) =>
      decodeUnsealed(sql`
        select s.id, s.company_id, s.progress, s.result, s.metadata from kyc_sessions s
        where not s.sealed and ${condition} ${sql.literal(lock)}`)

    const owner = sql.literal(
      `select s.id, s.company_id, ${keptKeyColumns} from kyc_sessions s ${keptKeyJoin}`
    )

    return {
      /** A wrong token and an unknown session cost the same failed lookup. */
      find: ({ id, tokenHash }: SessionKey) =>
        decodeOwner(sql`${owner} where s.token_hash = ${tokenHash} and s.id::text = ${id}`),

      findOfCompany: (companyId: string, id: string) =>
        decodeOwner(sql`${owner} where s.company_id = ${companyId} and s.id = ${id}`),

      /** Locks the session until the end of the transaction, if its data is not sealed yet. */
      lockUnsealed: (id: string) => unsealed(sql`s.id = ${id}`, "for update"),

      /** Locks some sessions whose data is not sealed yet, except those that somebody else has locked. */
      lockSomeUnsealed: (most: number) =>
        unsealed(sql`true order by s.id limit ${most}`, "for update skip locked"),

      /** Replaces the data of sessions that are locked, and stores their keys. */
      seal: (sealed: ReadonlyArray<SealedRow>) =>
        rowCount(sql`
          with given as (
            select * from jsonb_to_recordset(${json(sealed)})
              as given (id uuid, progress jsonb, result jsonb, metadata jsonb, sealed_key text, sealed_with text)
          ), changed as (
            update kyc_sessions s set sealed = true, progress = given.progress, result = given.result, metadata = given.metadata
            from given where s.id = given.id
          )
          insert into kyc_session_keys (session_id, sealed_key, sealed_with)
          select id, decode(sealed_key, 'hex'), sealed_with from given
          returning session_id`)
    }
  })
}) {}
