import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { Changes, notify } from "../../src/db/changes.ts"
import { fencedCache } from "../../src/db/fenced-cache.ts"
import { databaseOn, emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { patient } from "../support/run/timeouts.ts"

interface Thing {
  readonly id: string
  readonly group: string
}

/** A cache of things by key, invalidated by two topics, and the means to send notifications from elsewhere. */
const aCache = (capacity: number) =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const sql = Context.get(yield* Layer.build(databaseOn({ url, maxConnections: 1 })), SqlClient.SqlClient)
    const changes = Context.get(yield* Layer.build(Layer.provide(Changes.Default({ url }), patient)), Changes)
    const cache = yield* fencedCache<Thing>(changes, {
      name: "platform_keys",
      capacity,
      topics: { things: ({ id }) => id, groups: ({ group }) => group }
    })
    yield* eventually("trusted", changes.isTrusted)
    const load = (key: string, thing: Thing) =>
      cache.load(key, Effect.succeed(Option.some({ value: thing, remainingMillis: null })))
    const loadMany = (count: number) =>
      Effect.forEach(
        Array.from({ length: count }, (_, at) => at),
        (at) => load(`key ${at}`, { id: `thing ${at}`, group: `group ${at % 7}` }),
        { discard: true }
      )
    const known = (count: number) =>
      Array.from({ length: count }, (_, at) => at).filter((at) => cache.get(`key ${at}`) !== undefined)
    return { sql, cache, load, loadMany, known }
  })

it.scopedLive("forgets exactly the entries that a change names, on either topic, from any process", () =>
  Effect.gen(function* () {
    const { cache, known, loadMany, sql } = yield* aCache(100)
    yield* loadMany(14)
    cache.forget("things", "thing 3")
    cache.forget("things", "thing of nobody")
    expect(known(14)).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    cache.forget("groups", "group 1")
    expect(known(14)).toEqual([0, 2, 4, 5, 6, 7, 9, 10, 11, 12, 13])
    yield* sql`select ${notify("things", "thing 5")}, ${notify("groups", "group 0")}`
    yield* eventually(
      "both are heard",
      () => cache.get("key 5") === undefined && cache.get("key 0") === undefined
    )
    expect(known(14)).toEqual([2, 4, 6, 9, 10, 11, 12, 13])
  })
)

it.scopedLive("caches a forgotten entry again, and forgets it again", () =>
  Effect.gen(function* () {
    const { cache, known, loadMany } = yield* aCache(100)
    for (let round = 0; round < 3; round++) {
      yield* loadMany(3)
      expect(known(3)).toEqual([0, 1, 2])
      cache.forget("things", "thing 1")
      cache.forget("groups", "group 2")
      expect(known(3)).toEqual([0])
    }
  })
)

it.scopedLive("serves entries that no change named, however many changes there were", () =>
  Effect.gen(function* () {
    const { cache, known, loadMany } = yield* aCache(5_000)
    yield* loadMany(5_000)
    for (let at = 0; at < 5_000; at++) if (at % 2 === 0) cache.forget("things", `thing ${at}`)
    expect(known(5_000)).toEqual(Array.from({ length: 2_500 }, (_, at) => 2 * at + 1))
    cache.forget("groups", "group 0")
    expect(known(5_000)).toEqual(
      Array.from({ length: 2_500 }, (_, at) => 2 * at + 1).filter((at) => at % 7 !== 0)
    )
  })
)

it.scopedLive("does not cache a result that was loading while a change arrived", () =>
  Effect.gen(function* () {
    const { cache } = yield* aCache(100)
    const value = { id: "thing", group: "group" }
    const loaded = yield* cache.load(
      "key",
      Effect.sync(() => {
        cache.forget("things", "another")
        return Option.some({ value, remainingMillis: null })
      })
    )
    expect(loaded).toEqual(Option.some(value))
    expect(cache.get("key")).toBeUndefined()
  })
)

it.scopedLive("stays within its capacity: the oldest entry goes first", () =>
  Effect.gen(function* () {
    const { cache, known, load, loadMany } = yield* aCache(4)
    yield* loadMany(6)
    expect(known(6)).toEqual([2, 3, 4, 5])
    // An entry that was forgotten and cached again is evicted last.
    cache.forget("things", "thing 2")
    yield* load("key 2", { id: "thing 2", group: "group 2" })
    yield* load("key 0", { id: "thing 0", group: "group 0" })
    expect(known(6)).toEqual([0, 2, 4, 5])
  })
)
