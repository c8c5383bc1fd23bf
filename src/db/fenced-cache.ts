import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { type CacheName, cacheEntries, cacheHits, cacheMisses } from "../observability/metrics.ts"
import type { Changes } from "./changes.ts"

/** What the database answered, and for how long that holds by its clock; null: until a change is told. */
export interface Answer<Value> {
  readonly value: Value
  /** Milliseconds, counted from when the question was put. */
  readonly remainingMillis: number | null
}

interface Entry<Value> {
  readonly value: Value
  /** On the monotonic clock. */
  readonly expiresAt: number
  /** How often something had been told when it was remembered. */
  readonly told: number
}

interface FencedCache<Value> {
  /** What is remembered under `key` and certain to hold; undefined when only the database can tell. */
  readonly get: (key: string) => Value | undefined
  /**
   * Asks the database, and remembers its answer under `key` unless something was told meanwhile: it may be
   * older than what was told. That nothing was found is not remembered.
   */
  readonly load: <E, R>(
    key: string,
    question: Effect.Effect<Option.Option<Answer<Value>>, E, R>
  ) => Effect.Effect<Option.Option<Value>, E, R>
  /** Forgets in this process, at once, what is named `id` by `topic`; other processes hear from the database. */
  readonly forget: (topic: string, id: string) => void
}

interface Options<Value> {
  /** What metrics call it. */
  readonly name: CacheName
  /** Entries at most; beyond it the one remembered first goes first. */
  readonly capacity: number
  /** The topics of `Changes` that concern a value, and the id it has in the messages of each. */
  readonly topics: Readonly<Record<string, (value: Value) => string>>
}

/** Ids that have been told of, at most, before all entries are gone through: there may be many, and messages, too. */
const mostTold = 1_000

/**
 * Remembers answers of the database in this process without ever serving what is no longer true for more
 * than a second.
 *
 * It serves only while `changes` is trusted, that is while every change committed more than a second ago has
 * been heard of. Values named by a message are forgotten, and all of them when trust is lost. An answer that
 * was on its way while anything was told, or that was asked for in a time of distrust, is not remembered.
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
      /** What was told of an id, counted as `told` is; entries that are older are not served, and gone through later. */
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
      // What is left of a small cache is soon all there is.
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
      // One that is outdated goes, and its turn with it.
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
          // Distrusted now means that a change may go unheard until the listener is back: an answer to a
          // question of that time is not remembered even if all is well again when it comes.
          const trusted = changes.isTrusted()
          // What remains of the value's time is counted from before the question, never from after it.
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
