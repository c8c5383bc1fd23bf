import { Schema } from "effect"
import type { Head } from "./chain-model.ts"

/** The end of a chain according to the database. */
export const HeadColumns = {
  head_position: Schema.NullOr(Schema.Number),
  head_hash: Schema.NullOr(Schema.String)
}

export const SealColumns = {
  seal_position: Schema.NullOr(Schema.Number),
  seal: Schema.NullOr(Schema.Uint8ArrayFromSelf)
}

export const headIn = ({
  head_hash = null,
  head_position = null
}: Partial<Schema.Struct.Type<typeof HeadColumns>> = {}): Head | undefined =>
  head_hash === null || head_position === null ? undefined : { position: head_position, hash: head_hash }

export const timeText = `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const eventColumns = `e.company_id, e.position::float8 as position, e.id, ${timeText} as at,
  e.actor_kind, e.actor_id, e.actor_name, e.address, e.user_agent, e.action,
  e.resource_kind, e.resource_id, e.resource_name, e.details::text as details,
  encode(e.previous_hash, 'hex') as previous_hash, encode(e.hash, 'hex') as hash`
