import { Schema, Struct } from "effect"
import { hmacSha256, sameText, sha256 } from "../secrets/digest.ts"

/** A place in a company's chain of events. */
export interface Head {
  readonly position: number
  /** In hexadecimal. */
  readonly hash: string
}

export interface EventPlace extends Head {
  readonly companyId: string
}

/** A place recorded outside the database: noted by a person, or anchored. */
export interface Known extends Head {
  readonly by: "noted" | "anchored"
}

/** The furthest position of these places; 0 for none. */
export const furthestOf = (known: ReadonlyArray<Known>): number =>
  Math.max(0, ...known.map(({ position }) => position))

export type KnownPlaces = ReadonlyMap<string, ReadonlyArray<Known>>

/** The place before the first event. */
export const beginning: Head = { position: 0, hash: "0".repeat(64) }

const inHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** `<position>:<hash>`, to be noted where nobody with access to the database can change it. */
export const writeHead = ({ hash, position }: Head): string => `${position}:${hash}`

/** Undefined if the text is malformed. */
export const readHead = (text: string): Head | undefined => {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.toLowerCase()) ?? []
  return position === undefined || hash === undefined ? undefined : { position: Number(position), hash }
}

/** The database may return anything. */
export const isHead = (head: Head): boolean => readHead(writeHead(head)) !== undefined

/** Each value as it is hashed, in the order in which the fields are hashed. */
export const StoredEvent = Schema.Struct({
  company_id: Schema.String,
  position: Schema.Number,
  id: Schema.String,
  at: Schema.String,
  actor_kind: Schema.String,
  actor_id: Schema.NullOr(Schema.String),
  actor_name: Schema.String,
  address: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  action: Schema.String,
  resource_kind: Schema.String,
  resource_id: Schema.String,
  resource_name: Schema.NullOr(Schema.String),
  details: Schema.String,
  previous_hash: Schema.String,
  hash: Schema.String
})
export type StoredEvent = typeof StoredEvent.Type

const hashed = Struct.keys(Struct.omit(StoredEvent.fields, "hash"))

/** Not built by the database (docs/audit.md): anybody who can change rows can change its functions. */
const canonicalText = (event: StoredEvent): string =>
  `[${["doorlock audit 1", ...hashed.map((name) => event[name])].map((value) => JSON.stringify(value)).join(", ")}]`

export const hashOf = (event: StoredEvent): string => inHex(sha256(canonicalText(event)))

/** Proves that doorlock wrote the chain up to here: nobody else has the key, of purpose `audit-seal`. */
export const sealOf = (key: Uint8Array, companyId: string, { hash, position }: Head): Uint8Array =>
  hmacSha256(key, JSON.stringify(["doorlock audit seal 1", companyId, position, hash]))

export interface Seal {
  readonly position: number
  readonly seal: Uint8Array
}

/** The key that made the seal. */
export const keyOfSeal = (
  keys: ReadonlyArray<Uint8Array>,
  companyId: string,
  place: Head,
  seal: Uint8Array
): Uint8Array | undefined => keys.find((key) => sameText(inHex(sealOf(key, companyId, place)), inHex(seal)))
