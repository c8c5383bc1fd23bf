import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { hmacSha256, sameText, sha256 } from "../secrets/digest.ts"

/** A place in a company's chain of events: the last one, or one that somebody noted. */
export interface Head {
  readonly position: number
  /** In hex. */
  readonly hash: string
}

/** The place of an event in the trail of a company. */
export interface EventPlace extends Head {
  readonly companyId: string
}

/** A place in a chain that is remembered outside the database: by somebody who noted it, or by an anchor. */
export interface Known extends Head {
  readonly by: "noted" | "anchored"
  /** Of a place that was not sealed when it was anchored: when that was. */
  readonly unsealedAt?: Date | undefined
}

/** Such places, by company. */
export type KnownPlaces = ReadonlyMap<string, ReadonlyArray<Known>>

/** Before the first event. */
export const beginning: Head = { position: 0, hash: "0".repeat(64) }

const inHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** `<position>:<hash>`, to be noted where who has the database cannot reach it. */
export const writeHead = ({ hash, position }: Head): string => `${position}:${hash}`

/** What `writeHead` wrote, or undefined when it is none. */
export const readHead = (text: string): Head | undefined => {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.toLowerCase()) ?? []
  return position === undefined || hash === undefined ? undefined : { position: Number(position), hash }
}

/** Whether it can be one: what the database gives may be anything. */
export const isHead = (head: Head): boolean => readHead(writeHead(head)) !== undefined

/** An event as it is stored, each value as the text that is hashed, and in the order in which it is hashed. */
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

/** Of an event, what its hash is of. */
const hashed = Struct.keys(Struct.omit(StoredEvent.fields, "hash"))

/**
 * The text whose SHA-256 is the event's hash (docs/audit.md). Made here, and not by the database: whoever can change its rows can
 * change its functions.
 */
const canonicalText = (event: StoredEvent): string =>
  `[${["doorlock audit 1", ...hashed.map((name) => event[name])].map((value) => JSON.stringify(value)).join(", ")}]`

export const hashOf = (event: StoredEvent): string => inHex(sha256(canonicalText(event)))

/**
 * What says that doorlock itself wrote the chain of a company up to this place. Whoever can write the database can compute hashes,
 * but not this.
 *
 * @param key of purpose `audit-seal`
 */
export const sealOf = (key: Uint8Array, companyId: string, { hash, position }: Head): Uint8Array =>
  hmacSha256(key, JSON.stringify(["doorlock audit seal 1", companyId, position, hash]))

/** A seal as it is kept. */
export interface Seal {
  readonly position: number
  readonly seal: Uint8Array
}

/** The key under which the place has this seal, if any has it. */
export const keyOfSeal = (
  keys: ReadonlyArray<Uint8Array>,
  companyId: string,
  place: Head,
  seal: Uint8Array
): Uint8Array | undefined => keys.find((key) => sameText(inHex(sealOf(key, companyId, place)), inHex(seal)))
