import { Schema } from "effect"
import { writeDay } from "./calendar-model.ts"
import { type CallSource, Mode, Outcome, outcomes, UpstreamKind } from "./model.ts"

/**
 * A row of usage in ClickHouse: the calls that one writer has counted so far, of a key to an upstream on a day with one outcome. The same
 * row with fewer calls is an earlier state of it. So rows may arrive twice and in any order, and only the largest counts.
 */
export const UsageRow = Schema.Struct({
  api_id: Schema.String,
  subscription_id: Schema.String,
  key_id: Schema.String,
  mode: Mode,
  upstream: UpstreamKind,
  /** `YYYY-MM-DD`. */
  day: Schema.String,
  outcome: Outcome,
  writer: Schema.String,
  calls: Schema.NonNegativeInt
})
export type UsageRow = typeof UsageRow.Type

/** Calls of one key to one upstream on one day, by outcome, in the order of `outcomes`. */
export interface Calls extends CallSource {
  readonly day: number
  readonly counts: Float64Array
}

/** What one writer has counted of one key, upstream and day. */
interface Entry extends Calls {
  readonly writer: string
  /** What is known to be stored. */
  readonly stored: Float64Array
}

/** Rows to be stored, and what to do once they are. */
export interface Unstored {
  readonly rows: ReadonlyArray<UsageRow>
  readonly done: () => void
}

const keyOf = ({ account: { upstream }, day, keyId }: Calls) => `${keyId} ${upstream} ${day}`

/**
 * The calls that this process has counted, as far as they are not stored, and of some others: those rows grow on, and need no row of their
 * own again. Memory grows with the keys in use, not with calls.
 */
export class CountedRows {
  readonly #mostStored: number
  readonly #newWriter: () => string
  #writer: string
  /** Those that are stored, the longest unused first, and those that are not. */
  readonly #stored = new Map<string, Entry>()
  readonly #unstored = new Map<string, Entry>()

  /** @param mostStored how many entries to keep that are stored */
  constructor(mostStored: number, newWriter: () => string) {
    this.#mostStored = mostStored
    this.#newWriter = newWriter
    this.#writer = newWriter()
  }

  /** How many keys, upstreams and days have calls that are not stored. */
  get unstored(): number {
    return this.#unstored.size
  }

  add(calls: Calls): void {
    const key = keyOf(calls)
    const entry = this.#unstored.get(key) ?? this.#stored.get(key) ?? this.#begun(calls)
    this.#stored.delete(key)
    this.#unstored.set(key, entry)
    for (const [place, count] of calls.counts.entries()) {
      entry.counts[place] = (entry.counts[place] ?? 0) + count
    }
  }

  /** The rows of at most so many entries, those first that have waited longest. */
  take(most: number): Unstored {
    const taken = [...this.#unstored.entries().take(most)].map(([key, entry]) => {
      const counts = entry.counts.slice()
      return { key, entry, counts, rows: rowsOf({ ...entry, counts }) }
    })
    return {
      rows: taken.flatMap(({ rows }) => rows),
      done: () => {
        for (const { counts, entry, key } of taken) {
          entry.stored.set(counts)
          this.#unstored.delete(key)
          // Calls that came meanwhile wait behind those of other keys.
          const isWhole = entry.counts.every((count, place) => count === counts[place])
          ;(isWhole ? this.#stored : this.#unstored).set(key, entry)
        }
        this.#forget()
      }
    }
  }

  #begun({ account, day, keyId, mode, subscriptionId }: Calls): Entry {
    const [counts, stored] = [new Float64Array(outcomes.length), new Float64Array(outcomes.length)]
    return { keyId, mode, subscriptionId, account, day, counts, stored, writer: this.#writer }
  }

  #forget(): void {
    if (this.#stored.size <= this.#mostStored) return
    for (const key of this.#stored.keys()) {
      if (this.#stored.size <= this.#mostStored) break
      this.#stored.delete(key)
    }
    // An entry that is forgotten and begins again at 0 must not look like an earlier state of itself.
    this.#writer = this.#newWriter()
  }
}

const rowsOf = ({
  account: { apiId, upstream },
  counts,
  day,
  keyId,
  mode,
  stored,
  subscriptionId,
  writer
}: Entry): ReadonlyArray<UsageRow> =>
  outcomes.flatMap((outcome, place) => {
    const calls = counts[place] ?? 0
    if (calls === (stored[place] ?? 0)) return []
    return [
      {
        api_id: apiId,
        subscription_id: subscriptionId,
        key_id: keyId,
        mode,
        upstream,
        day: writeDay(day),
        outcome,
        writer,
        calls
      }
    ]
  })
