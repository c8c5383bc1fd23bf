import { sha256 } from "../secrets/digest.ts"

/** A place in a company's chain of events: the last one, or one that somebody noted. */
export interface Head {
  readonly position: number
  /** In hex. */
  readonly hash: string
}

/** Before the first event. */
export const beginning: Head = { position: 0, hash: "0".repeat(64) }

/** `<position>:<hash>`, to be noted where who has the database cannot reach it. */
export const writeHead = ({ hash, position }: Head): string => `${position}:${hash}`

/** What `writeHead` wrote, or undefined when it is none. */
export const readHead = (text: string): Head | undefined => {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.toLowerCase()) ?? []
  return position === undefined || hash === undefined ? undefined : { position: Number(position), hash }
}

/** An event as it is stored, each value as the text that is hashed. */
export interface StoredEvent {
  readonly company_id: string
  readonly position: number
  readonly id: string
  readonly at: string
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly actor_name: string
  readonly address: string | null
  readonly user_agent: string | null
  readonly action: string
  readonly resource_kind: string
  readonly resource_id: string
  readonly resource_name: string | null
  readonly details: string
  readonly previous_hash: string
  readonly hash: string
}

/**
 * The text whose SHA-256 is the event's hash (docs/audit.md). Made here anew, and not by the database: who can change its
 * rows can change its functions.
 */
const canonicalText = (event: StoredEvent): string => {
  const fields = [
    "doorlock audit 1",
    event.company_id,
    event.position,
    event.id,
    event.at,
    event.actor_kind,
    event.actor_id,
    event.actor_name,
    event.address,
    event.user_agent,
    event.action,
    event.resource_kind,
    event.resource_id,
    event.resource_name,
    event.details,
    event.previous_hash
  ]
  return `[${fields.map((value) => JSON.stringify(value)).join(", ")}]`
}

export const hashOf = (event: StoredEvent): string =>
  Buffer.from(sha256(canonicalText(event))).toString("hex")

/** What is wrong with a chain, at the first place where something is. */
export interface Fault {
  readonly position: number
  readonly kind: "missing" | "changed" | "replaced" | "added" | "head" | "noted"
}

const sentences: Readonly<Record<Fault["kind"], (position: number) => string>> = {
  missing: (position) => `Event ${position} is missing.`,
  changed: (position) => `Event ${position} is not as it was written: its hash does not fit.`,
  replaced: (position) =>
    `Event ${position} does not follow event ${position - 1}: one of the two was replaced.`,
  added: (position) => `Event ${position} was added past the end of the chain.`,
  head: (position) => `The end of the chain that is kept is not event ${position}, which is the last one.`,
  noted: (position) => `Event ${position} is not the one that was noted.`
}

/** A fault in words. */
export const describeFault = ({ kind, position }: Fault): string => sentences[kind](position)

/** What is wrong with `event` as the one that follows `last`; undefined when it does. */
export const faultOf = (last: Head, event: StoredEvent, noted: Head | undefined): Fault | undefined => {
  const position = last.position + 1
  if (event.position !== position) return { kind: "missing", position }
  if (hashOf(event) !== event.hash) return { kind: "changed", position }
  if (event.previous_hash !== last.hash) return { kind: "replaced", position }
  return noted?.position === position && noted.hash !== event.hash ? { kind: "noted", position } : undefined
}

/** What is wrong with the end of a chain whose last event is `last`, where `kept` is the end by the database's account. */
export const faultAtEnd = (
  last: Head,
  kept: Head | undefined,
  noted: Head | undefined
): Fault | undefined => {
  const next = last.position + 1
  // Every company has a chain, which begins with the company.
  if (last.position === 0 || (noted !== undefined && noted.position > last.position)) {
    return { kind: "missing", position: next }
  }
  if (kept === undefined) return { kind: "head", position: last.position }
  if (kept.position > last.position) return { kind: "missing", position: next }
  if (kept.position < last.position) return { kind: "added", position: kept.position + 1 }
  return kept.hash === last.hash ? undefined : { kind: "head", position: last.position }
}
