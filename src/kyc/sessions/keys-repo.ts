import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { json, onlyRow, row, rowCount, rows, uuid } from "../../db/sql.ts"
import { Mode, type SessionKey } from "./model.ts"

/** `KeptKey` as columns, for the rows of `s` joined with `k`. */
export const keptKeyColumns = "k.sealed_key, k.sealed_with"

export const keptKeyJoin = "left join kyc_session_keys k on k.session_id = s.id"

/** The fields of a `KeptKey`. */
export const keptKeyFields = {
  sealed_key: Schema.NullOr(Schema.Uint8ArrayFromSelf),
  sealed_with: Schema.NullOr(Schema.String)
} as const

const OwnerRow = Schema.Struct({ id: Schema.String, company_id: Schema.String, ...keptKeyFields })

const HeldRow = Schema.Struct({ ...OwnerRow.fields, mode: Mode, version_id: Schema.String })

const StoredKey = Schema.Struct({
  id: Schema.String,
  company_id: Schema.String,
  sealed_key: Schema.Uint8ArrayFromSelf,
  sealed_with: Schema.String
})

/** The keys of sessions. */
export class SessionKeyRepo extends Effect.Service<SessionKeyRepo>()("SessionKeyRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeOwner = row(OwnerRow)
    const decodeHeld = row(HeldRow)
    const decodeStored = rows(StoredKey)
    const decodeSecrets = rows(Schema.Struct({ sealed_with: Schema.String }))
    const decodeCounted = rows(
      Schema.Struct({ sealed_with: Schema.String, keys: Schema.Number, orphans: Schema.Number })
    )
    const decodeExists = onlyRow(Schema.Struct({ stored: Schema.Boolean }))
    const decodeExample = row(Schema.Struct({ id: Schema.String, sealed_with: Schema.String }))
    /** The keys of `k` that belong to a session. After a restore there may be others. */
    const ofSession = sql.literal("exists (select from kyc_sessions s where s.id = k.session_id)")

    const owner = sql.literal(
      `select s.id, s.company_id, ${keptKeyColumns} from kyc_sessions s ${keptKeyJoin}`
    )

    return {
      /** A wrong token finds nothing, just as an unknown session. */
      find: ({ id, tokenHash }: SessionKey) =>
        decodeHeld(sql`
          select s.id, s.company_id, s.mode, s.version_id, ${sql.literal(keptKeyColumns)}
          from kyc_sessions s ${sql.literal(keptKeyJoin)}
          where s.id = ${uuid(id)} and s.token_hash = ${tokenHash}`),

      findOfCompany: (companyId: string, id: string) =>
        decodeOwner(sql`${owner} where s.company_id = ${companyId} and s.id = ${id}`),

      /** Locks some keys of sessions that this secret sealed, except those that somebody else has locked, and these. */
      lockSealedWith: (sealedWith: string, except: ReadonlyArray<string>, most: number) =>
        decodeStored(sql`
          select k.session_id as id, s.company_id, k.sealed_key, k.sealed_with
          from kyc_session_keys k join kyc_sessions s on s.id = k.session_id
          where k.sealed_with = ${sealedWith} and k.session_id <> all (${except}::uuid[])
          limit ${most} for update of k skip locked`),

      /** Replaces keys that are locked. */
      reseal: (
        keys: ReadonlyArray<{
          readonly id: string
          readonly sealed_key: string
          readonly sealed_with: string
        }>
      ) =>
        rowCount(sql`
          update kyc_session_keys k set sealed_key = decode(given.sealed_key, 'hex'), sealed_with = given.sealed_with
          from jsonb_to_recordset(${json(keys)}) as given (id uuid, sealed_key text, sealed_with text)
          where k.session_id = given.id returning k.session_id`),

      /** Whether the database has a table for keys: a new database has none. */
      areStored: Effect.map(
        decodeExists(sql`select to_regclass('kyc_session_keys') is not null as stored`),
        ({ stored }) => stored
      ),

      /** Which secrets sealed the keys. Looks each secret up in the index. */
      secrets: decodeSecrets(sql`
        with recursive used as (
          (select sealed_with from kyc_session_keys order by sealed_with limit 1)
          union all
          select (select k.sealed_with from kyc_session_keys k where k.sealed_with > used.sealed_with
            order by k.sealed_with limit 1)
          from used where used.sealed_with is not null
        )
        select sealed_with from used where sealed_with is not null`),

      /** A session whose key one of these secrets sealed. */
      sessionSealedWith: (sealedWith: ReadonlyArray<string>) =>
        decodeExample(sql`
          select k.session_id as id, k.sealed_with from kyc_session_keys k
          where k.sealed_with = any (${sealedWith}::text[]) and ${ofSession} limit 1`),

      /** How many keys of sessions each secret sealed, and how many that belong to no session. */
      countKeys: decodeCounted(sql`
        select k.sealed_with, (count(*) filter (where s.id is not null))::int as keys,
          (count(*) filter (where s.id is null))::int as orphans
        from kyc_session_keys k left join kyc_sessions s on s.id = k.session_id group by k.sealed_with`)
    }
  })
}) {}
