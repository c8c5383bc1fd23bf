import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { row, uuid } from "../../db/sql.ts"
import type { SessionKey } from "../sessions/model.ts"

const EmbedRow = Schema.Struct({
  id: Schema.String,
  /** `embed` of the config that the session was created with; null if there is none. */
  embed: Schema.Unknown
})

/** The framing settings of sessions in Postgres; read-only. */
export class EmbeddingRepo extends Effect.Service<EmbeddingRepo>()("EmbeddingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decode = row(EmbedRow)

    const embed = sql.literal(
      `select s.id, v.config -> 'embed' as embed
       from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id`
    )

    return {
      /** A wrong token finds nothing, just as an unknown session. */
      findByToken: ({ id, tokenHash }: SessionKey) =>
        decode(sql`${embed} where s.id = ${uuid(id)} and s.token_hash = ${tokenHash}`),

      /** @param id a UUID */
      find: (id: string) => decode(sql`${embed} where s.id = ${id}`)
    }
  })
}) {}
