import { beginning, type Head, hashOf, type Known, type Seal, type StoredEvent } from "./chain-model.ts"

const sentences = {
  missing: (position) => `Event ${position} is missing.`,
  changed: (position) => `Event ${position} is not as it was written: its hash does not match.`,
  replaced: (position) =>
    `Event ${position} does not follow event ${position - 1}: one of the two was replaced.`,
  added: (position) => `Event ${position} was added past the end of the chain.`,
  head: (position) => `The stored end of the chain is not event ${position}, the last one.`,
  noted: (position) => `Event ${position} is not the one that was noted.`,
  anchored: (position) => `Event ${position} is not the one that was anchored.`,
  resealed: (position) =>
    `Event ${position} is not the one that was sealed: the trail up to it was rewritten, or sealed under another SECRET_KEY.`,
  unsealed: (position) =>
    `Event ${position} is not sealed: doorlock did not write it, or not by this SECRET_KEY.`
} satisfies Readonly<Record<string, (position: number) => string>>

/** What is wrong at the first place known to be wrong. */
export interface Fault {
  readonly position: number
  readonly kind: keyof typeof sentences
}

export const describeFault = ({ kind, position }: Fault): string => sentences[kind](position)

/** What is wrong with `event` as the successor of `last`. `known`: the known places at its position. */
export const faultOf = (
  last: Head,
  event: StoredEvent,
  known: ReadonlyArray<Known> | undefined
): Fault | undefined => {
  const position = last.position + 1
  if (event.position !== position) return { kind: "missing", position }
  if (hashOf(event) !== event.hash) return { kind: "changed", position }
  if (event.previous_hash !== last.hash) return { kind: "replaced", position }
  const other = known?.find((place) => place.hash !== event.hash)
  return other === undefined ? undefined : { kind: other.by, position }
}

/** A section of a chain, newest first, with no event left out. */
interface Page {
  /** According to the database. */
  readonly head: Head | undefined
  /** Only events before this position. */
  readonly before: number | undefined
  readonly limit: number
}

/** What is wrong with a trail's events, newest first. `page`: undefined if a filter may leave gaps. */
export const faultOfPage = (
  events: ReadonlyArray<StoredEvent>,
  page: Page | undefined
): Fault | undefined => {
  const changed = events.find((event) => hashOf(event) !== event.hash)
  if (changed !== undefined) return { kind: "changed", position: changed.position }
  if (page === undefined) return undefined
  const { before = Number.POSITIVE_INFINITY, head, limit } = page
  if (head === undefined) return before > 1 ? { kind: "missing", position: 1 } : undefined
  let next = Math.min(head.position, before - 1)
  let hash = next === head.position ? head.hash : undefined
  for (const event of events) {
    if (event.position > next) return { kind: "added", position: event.position }
    if (event.position < next) return { kind: "missing", position: next }
    if (hash !== undefined && event.hash !== hash) {
      return next === head.position
        ? { kind: "head", position: next }
        : { kind: "replaced", position: next + 1 }
    }
    next--
    hash = event.previous_hash
  }
  if (events.length === limit) return undefined
  if (next > 0) return { kind: "missing", position: next }
  return hash === undefined || hash === beginning.hash ? undefined : { kind: "replaced", position: 1 }
}

/** What is wrong with the end of a chain. `kept`: the end according to the database. */
export const faultAtEnd = (
  last: Head,
  kept: Head | undefined,
  known: ReadonlyArray<Known>
): Fault | undefined => {
  const next = last.position + 1
  // Every company has a chain, which starts when the company is created.
  if (last.position === 0 || known.some(({ position }) => position > last.position)) {
    return { kind: "missing", position: next }
  }
  if (kept === undefined) return { kind: "head", position: last.position }
  if (kept.position > last.position) return { kind: "missing", position: next }
  if (kept.position < last.position) return { kind: "added", position: kept.position + 1 }
  return kept.hash === last.hash ? undefined : { kind: "head", position: last.position }
}

/** What is wrong with a chain's seal. `isGood`: whether it matches the event at its position. */
export const faultOfSeal = (last: Head, seal: Seal | undefined, isGood: boolean): Fault | undefined => {
  if (seal === undefined) return { kind: "unsealed", position: 1 }
  if (seal.position > last.position) return { kind: "missing", position: last.position + 1 }
  if (!isGood) return { kind: "resealed", position: seal.position }
  return seal.position < last.position ? { kind: "unsealed", position: seal.position + 1 } : undefined
}
