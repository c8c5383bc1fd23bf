import { Effect, Option, type Scope } from "effect"
import { LRUCache } from "lru-cache"
import { type CacheName, cacheEntries, cacheHits, cacheMisses } from "../observability/metrics.ts"
import type { Changes } from "./changes.ts"

export interface Answer<Value> {
  readonly value: Value
  /** Valid for this long from the start of the query (ms); null: until a change is notified. */
  readonly remainingMillis: number | null
}

interface Entry<Value> {
  readonly value: Value
  /** Monotonic. */
  readonly expiresAt: number
  /** Notifications received when the entry was cached. */
  readonly told: number
}

interface FencedCache<Value> {
  /** The value cached under `key`; undefined if only the database can tell whether it is valid. */
  readonly get: (key: string) => Value | undefined
  /** Caches the answer, unless a notification that it may predate arrives meanwhile. Never caches a miss. */
  readonly load: <E, R>(
    key: string,
    question: Effect.Effect<Option.Option<Answer<Value>>, E, R>
  ) => Effect.Effect<Option.Option<Value>, E, R>
  /** Removes values from this process's cache at once. The database notifies the other processes. */
  readonly forget: (topic: string, id: string) => void
}

interface Options<Value> {
  readonly name: CacheName
  /** Maximum entries; the oldest are evicted first. */
  readonly capacity: number
  /** The topics of `Changes` that affect a value, with the value's id in each. */
  readonly topics: Readonly<Record<string, (value: Value) => string>>
}

/** Maximum notified ids before all entries are scanned: both may be many. Ids of a small cache soon cover all its entries. */
const mostTold = (capacity: number): number => Math.min(capacity / 10, Math.max(1_000, capacity / 20))

/**
 * Caches answers of the database, at most a second stale: it serves only while `changes` is trusted. A
 * message removes the values it names; loss of trust removes all.
 */
export const fencedCache = <Value>(
  changes: Changes,
  options: Options<Value>
): Effect.Effect<FencedCache<Value>, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** Reads use `peek`: only a new answer renews an entry. */
    const entries = new LRUCache<string, Entry<Value>>({ max: options.capacity })
    let told = 0
    const hits = cacheHits[options.name]
    const misses = cacheMisses[options.name]
    yield* cacheEntries.from(() => ({ [`cache="${options.name}"`]: entries.size }))

    const topics = Object.entries(options.topics).map(([topic, idOf]) => ({
      topic,
      idOf,
      /** `told` at the last notification of each id. Older entries are not served. */
      toldOf: new Map<string, number>()
    }))

    const isOutdated = ({ told, value }: Entry<Value>): boolean => {
      for (const { idOf, toldOf } of topics) {
        if (toldOf.size > 0 && (toldOf.get(idOf(value)) ?? 0) > told) return true
      }
      return false
    }
    const forget = (topic: string, id: string): void => {
      told++
      const toldOf = topics.find((one) => one.topic === topic)?.toldOf
      if (toldOf === undefined) return
      toldOf.set(id, told)
      if (toldOf.size < mostTold(options.capacity)) return
      for (const [key, entry] of entries) if (isOutdated(entry)) entries.delete(key)
      for (const one of topics) one.toldOf.clear()
    }
    const forgetAll = (): void => {
      told++
      entries.clear()
      for (const one of topics) one.toldOf.clear()
    }
    for (const { topic } of topics) {
      yield* changes.subscribe(topic, (id) => forget(topic, id), forgetAll)
    }

    return {
      forget,

      get: (key) => {
        const entry = changes.isTrusted() ? entries.peek(key) : undefined
        if (entry === undefined || performance.now() >= entry.expiresAt || isOutdated(entry)) return undefined
        hits.add()
        return entry.value
      },

      load: (key, question) =>
        Effect.suspend(() => {
          misses.add()
          const before = told
          // While untrusted, changes may be missed, so answers to queries from then are not cached.
          const trusted = changes.isTrusted()
          const askedAt = performance.now()
          return Effect.map(
            question,
            Option.map(({ remainingMillis, value }) => {
              if (trusted && told === before && changes.isTrusted()) {
                entries.set(key, {
                  value,
                  expiresAt: askedAt + (remainingMillis ?? Number.POSITIVE_INFINITY),
                  told
                })
              }
              return value
            })
          )
        })
    }
  })
