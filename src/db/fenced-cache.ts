import { Effect, Option, type Scope } from "effect"
import { type CacheName, cacheEntries, cacheHits, cacheMisses } from "../observability/metrics.ts"
import type { Changes } from "./changes.ts"

/** The database's answer, and how long it is valid by the database's clock. Null: until a change is notified. */
export interface Answer<Value> {
  readonly value: Value
  /** Milliseconds from the time the query started. */
  readonly remainingMillis: number | null
}

interface Entry<Value> {
  readonly value: Value
  /** In monotonic time. */
  readonly expiresAt: number
  /** The number of notifications when the entry was cached. */
  readonly told: number
}

interface FencedCache<Value> {
  /** The value cached under `key` if it is certainly still valid; undefined if only the database can tell. */
  readonly get: (key: string) => Value | undefined
  /**
   * Queries the database and caches the answer under `key`, unless a notification arrived during the query: the answer may be older than
   * that change. A miss is not cached.
   */
  readonly load: <E, R>(
    key: string,
    question: Effect.Effect<Option.Option<Answer<Value>>, E, R>
  ) => Effect.Effect<Option.Option<Value>, E, R>
  /** Removes the values with this `id` in `topic` from this process's cache at once. The database notifies other processes. */
  readonly forget: (topic: string, id: string) => void
}

interface Options<Value> {
  readonly name: CacheName
  /** Maximum number of entries. Beyond it, the oldest entry is evicted first. */
  readonly capacity: number
  /** The topics of `Changes` that affect a value, and the value's id in each topic's messages. */
  readonly topics: Readonly<Record<string, (value: Value) => string>>
}

/** Maximum number of notified ids before all entries are scanned: both entries and messages may be many. */
const mostTold = 1_000

/**
 * Caches answers of the database in this process, and never serves data that has been stale for more than a second.
 *
 * It serves only while `changes` is trusted, so while every change committed more than a second ago has been received. A message removes
 * the values it names; loss of trust removes all. An answer is not cached if any notification arrived during its query, or if `changes` was
 * not trusted when the query started.
 */
export const fencedCache = <Value>(
  changes: Changes,
  options: Options<Value>
): Effect.Effect<FencedCache<Value>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const entries = new Map<string, Entry<Value>>()
    let told = 0
    const hits = cacheHits[options.name]
    const misses = cacheMisses[options.name]
    yield* cacheEntries.from(() => ({ [`cache="${options.name}"`]: entries.size }))

    const topics = Object.entries(options.topics).map(([topic, idOf]) => ({
      topic,
      idOf,
      /** The value of `told` at the last notification for each id. Older entries are not served, and a later scan removes them. */
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
      // In a small cache, the notified ids soon cover all entries.
      if (toldOf.size < Math.min(mostTold, options.capacity / 10)) return
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

    const remember = (key: string, entry: Entry<Value>) => {
      // Deleting an outdated entry also moves the new one to the end of the eviction order.
      entries.delete(key)
      entries.set(key, entry)
      if (entries.size <= options.capacity) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    }

    return {
      forget,

      get: (key) => {
        const entry = changes.isTrusted() ? entries.get(key) : undefined
        if (entry === undefined || performance.now() >= entry.expiresAt || isOutdated(entry)) return undefined
        hits.add()
        return entry.value
      },

      load: (key, question) =>
        Effect.suspend(() => {
          misses.add()
          const before = told
          // Without trust, a change may be missed until the listener is back. So an answer to a query from that time is not cached, even if
          // trust has returned when it arrives.
          const trusted = changes.isTrusted()
          // The value's remaining time counts from before the query, never from after it.
          const askedAt = performance.now()
          return Effect.map(
            question,
            Option.map(({ remainingMillis, value }) => {
              if (trusted && told === before && changes.isTrusted()) {
                remember(key, {
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
