import { Deferred, Effect, Option } from "effect"
import { LRUCache } from "lru-cache"
import { Config } from "../../config.ts"
import { Changes } from "../../db/changes.ts"
import { type Answer, fencedCache } from "../../db/fenced-cache.ts"
import { type Document, documentOf } from "../../http/runtime/document.ts"
import { pause } from "../../limits/turn-of-others.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { Timing } from "../../shared/timing.ts"
import { byApi, type Chosen, descriptionParts, type Omitted } from "./description-parts.ts"
import { ApiNotFound } from "./errors.ts"
import { assembled } from "./exported-document.ts"
import { makings } from "./makings.ts"
import { apiChangedTopic, apiWithdrawnTopic, catalogChangedTopic, catalogName } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

/** Bytes copied before other work gets a turn. */
const bytesAtOnce = 1_048_576

/** Maximum number of cached descriptions. None is larger than the one of all APIs. */
const maxDescriptions = 8

/** Maximum listed omissions; all are counted. */
const maxOmitted = 1_000

/** Milliseconds before a part that was not ready in time is requested again. */
const lateMillis = 60_000

interface Described {
  /** The id of an API, or `catalogName`. */
  readonly scope: string
  readonly document: Document
}

const notFound = () => new ApiNotFound()

type Making = Effect.Effect<Option.Option<Answer<Described>>>

/** Reports what is omitted, in an extension, since the specification has no field for it. */
const omission = (omitted: ReadonlyArray<Omitted>): object =>
  omitted.length === 0
    ? {}
    : { "x-doorlock-omitted": { total: omitted.length, apis: omitted.slice(0, maxOmitted) } }

const concatenated = Effect.fnUntraced(function* (pieces: ReadonlyArray<Uint8Array>) {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  let paused = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
    if (at - paused < bytesAtOnce) continue
    paused = at
    yield* pause
  }
  return bytes
})

/**
 * OpenAPI 3.1 descriptions of the published APIs, as called through the gateway, without any trace of the
 * upstreams (contract.md#published-apis). Each is cached until an input changes. One is assembled at a time,
 * by copying the fragments that document checks have stored. A thread of its own produces the names and texts
 * of changed APIs, in one job of bounded steps per publisher.
 */
export class ApiDescriptions extends Effect.Service<ApiDescriptions>()("ApiDescriptions", {
  scoped: Effect.gen(function* () {
    const repo = yield* CatalogRepo
    const { choose, wordsOf } = yield* descriptionParts
    const { gatewayUrl } = yield* Config
    const { within } = yield* Timing
    const changes = yield* Changes
    const cache = yield* fencedCache<Described>(changes, {
      name: "api_descriptions",
      capacity: maxDescriptions,
      topics: { [apiChangedTopic]: ({ scope }) => scope, [catalogChangedTopic]: ({ scope }) => scope }
    })
    const catalogs = yield* makings<Option.Option<Described>>()
    /** Separate, so that the description of one API never waits for that of all APIs. */
    const singles = yield* makings<Option.Option<Described>>()

    const described = (scope: string, info: object, { isProvisional, omitted, parts }: Chosen) =>
      Effect.map(
        concatenated(assembled({ info, serverUrl: gatewayUrl, more: omission(omitted) }, parts)),
        (bytes) =>
          Option.some({
            value: { scope, document: documentOf(bytes) },
            remainingMillis: isProvisional ? lateMillis : null
          })
      )

    const makeAll: Making = Effect.flatMap(Effect.flatMap(repo.versions(), choose), (chosen) =>
      described(
        catalogName,
        {
          title: "Published APIs",
          version: "1",
          description: "Every API that is published here, as it is called through the gateway."
        },
        chosen
      )
    )

    const makeOne = Effect.fnUntraced(function* (id: string) {
      const api = yield* repo.find(id)
      if (Option.isNone(api)) return Option.none()
      const versions = yield* repo.versions(id)
      const [newest] = versions
      // Without a version, there is no upstream that the texts could name.
      const words =
        newest === undefined ? api.value : (yield* wordsOf(newest.publisher_id, byApi(versions))).get(id)
      const chosen = yield* choose(versions)
      const { description = "", name = "" } = words ?? {}
      return yield* described(
        id,
        {
          // OpenAPI requires a title, and the slug is not secret.
          title: name || (newest?.api_slug ?? ""),
          version: newest?.version ?? "0",
          ...(description === "" ? undefined : { description })
        },
        { ...chosen, isProvisional: chosen.isProvisional || words === undefined }
      )
    }) satisfies (id: string) => Making

    /** The descriptions served last, up to the maximum number of cached ones. */
    const last = new LRUCache<string, Described>({ max: maxDescriptions })
    /** Incremented whenever an API may have been unpublished. */
    let withdrawals = 0

    const outdate = () => {
      catalogs.changed()
      singles.changed()
    }
    /** Ensures that no earlier description with this API is served again. */
    const withdraw = (id: string) => {
      outdate()
      withdrawals++
      last.delete(id)
      last.delete(catalogName)
    }
    yield* changes.subscribe(apiChangedTopic, outdate, outdate)
    yield* changes.subscribe(apiWithdrawnTopic, withdraw, () => {
      // Any API may have been withdrawn.
      withdrawals++
      last.clear()
    })

    const forget = (id: string) => {
      outdate()
      cache.forget(apiChangedTopic, id)
      cache.forget(catalogChangedTopic, catalogName)
    }

    const makeAnew = (name: string, make: Making) =>
      Effect.suspend(() => {
        const found = cache.get(name)
        if (found !== undefined) return Effect.succeedSome(found)
        const before = withdrawals
        return Effect.tap(cache.load(name, make), (made) =>
          Effect.sync(() => {
            // The description may contain an API that was withdrawn during the work.
            if (withdrawals !== before) return
            if (Option.isSome(made)) last.set(name, made.value)
            else last.delete(name)
          })
        )
      })

    const current = Effect.fnUntraced(function* (name: string, make: Making) {
      const known = cache.get(name)
      if (known !== undefined) return Option.some(known.document)
      const made = Deferred.await(
        yield* (name === catalogName ? catalogs : singles).of(name, makeAnew(name, make))
      )
      const inTime = last.has(name) ? yield* within("marketplace.description", made) : Option.none()
      // Read after the wait, since the description may have been withdrawn by now.
      const before = last.get(name)
      const described = Option.isSome(inTime)
        ? inTime.value
        : before === undefined
          ? yield* made
          : Option.some(before)
      return Option.map(described, ({ document }) => document)
    })

    return {
      ofAll: Effect.map(current(catalogName, makeAll), Option.getOrThrow),

      /** The description of one published API, with all its versions. */
      of: (id: string): Effect.Effect<Document, ApiNotFound> =>
        idOr(id, notFound).pipe(
          Effect.flatMap((known) => current(known, makeOne(known))),
          foundOr(notFound)
        ),

      /** Removes the API from this process's caches. The database notifies other processes. */
      forget: (id: string) => Effect.sync(() => forget(id)),

      /** Also ensures that no earlier description with this API is served again. */
      withdraw: (id: string) =>
        Effect.sync(() => {
          withdraw(id)
          forget(id)
        })
    }
  })
}) {}
