import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { LRUCache } from "lru-cache"
import { Config } from "../../config.ts"
import { Changes } from "../../db/changes.ts"
import { type Answer, fencedCache } from "../../db/fenced-cache.ts"
import { foundOr, idOr } from "../../found.ts"
import { type Document, documentOf } from "../../http/runtime/document.ts"
import { pause } from "../../limits/turn-of-others.ts"
import { byApi, type Chosen, descriptionParts, type Omitted } from "./description-parts.ts"
import { ApiNotFound } from "./errors.ts"
import { assembled } from "./exported-document.ts"
import { makings } from "./makings.ts"
import { apiChangedTopic, apiWithdrawnTopic, catalogChangedTopic, catalogName } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

/** Bytes copied before others get their turn. */
const bytesAtOnce = 1_048_576

/** Descriptions kept, at most; none is larger than that of all. */
const maxDescriptions = 8

/** Entries of what was left out, at most; all are counted. */
const maxOmitted = 1_000

/** How long something is left out that was not known in time, before it is asked for again. */
const lateMillis = 60_000

/** How long a description that is being made anew is waited for, before the last one is given instead. */
export class DescriptionPatience extends Context.Reference<DescriptionPatience>()("DescriptionPatience", {
  defaultValue: () => Duration.seconds(1)
}) {}

interface Described {
  /** The id of an API, or `catalogName`. */
  readonly scope: string
  readonly document: Document
}

const notFound = () => new ApiNotFound()

type Making = Effect.Effect<Option.Option<Answer<Described>>>

/** Says what is not there; an extension, since the specification has no field for it. */
const omission = (omitted: ReadonlyArray<Omitted>): object =>
  omitted.length === 0
    ? {}
    : { "x-doorlock-omitted": { total: omitted.length, apis: omitted.slice(0, maxOmitted) } }

/** The pieces as one, copied a part at a time. */
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
 * OpenAPI 3.1 descriptions of what is published: as it is called through the gateway, and with nothing of the upstreams
 * (contract.md#published-apis). Kept until something of them changes; made one at a time, from what was stored of each version's
 * document when it was checked. Here that is only copied; the words of APIs are made in a thread that checks nothing, once for each
 * change of the API, and those of a publisher in one job, which takes a bounded number of steps.
 */
export class ApiDescriptions extends Effect.Service<ApiDescriptions>()("ApiDescriptions", {
  scoped: Effect.gen(function* () {
    const repo = yield* CatalogRepo
    const { choose, wordsOf } = yield* descriptionParts
    const { gatewayUrl } = yield* Config
    const patience = yield* DescriptionPatience
    const changes = yield* Changes
    const cache = yield* fencedCache<Described>(changes, {
      name: "api_descriptions",
      capacity: maxDescriptions,
      topics: { [apiChangedTopic]: ({ scope }) => scope, [catalogChangedTopic]: ({ scope }) => scope }
    })
    const catalogs = yield* makings<Option.Option<Described>>()
    /** Apart, so that the description of one API never waits for that of all. */
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
      const api = yield* repo.findPublished(id)
      if (Option.isNone(api)) return Option.none()
      const versions = yield* repo.versions(id)
      const [newest] = versions
      // Without a version there is no upstream that they could name.
      const words =
        newest === undefined ? api.value : (yield* wordsOf(newest.publisher_id, byApi(versions))).get(id)
      const chosen = yield* choose(versions)
      const { description = "", name = "" } = words ?? {}
      return yield* described(
        id,
        {
          // A title there must be, and the slug is no secret.
          title: name || (newest?.api_slug ?? ""),
          version: newest?.version ?? "0",
          ...(description === "" ? undefined : { description })
        },
        { ...chosen, isProvisional: chosen.isProvisional || words === undefined }
      )
    }) satisfies (id: string) => Making

    /** The descriptions last given: as many as are kept. */
    const last = new LRUCache<string, Described>({ max: maxDescriptions })
    /** Raised whenever an API may no longer be published. */
    let withdrawals = 0

    /** What is being made is out of date. */
    const outdate = () => {
      catalogs.changed()
      singles.changed()
    }
    /** No description that has the API in it is given again. */
    const withdraw = (id: string) => {
      outdate()
      withdrawals++
      last.delete(id)
      last.delete(catalogName)
    }
    yield* changes.subscribe(apiChangedTopic, outdate, outdate)
    yield* changes.subscribe(apiWithdrawnTopic, withdraw, () => {
      // Any may have been withdrawn.
      withdrawals++
      last.clear()
    })

    const forget = (id: string) => {
      outdate()
      cache.forget(apiChangedTopic, id)
      cache.forget(catalogChangedTopic, catalogName)
    }

    const remember = (name: string, made: Option.Option<Described>) => {
      if (Option.isSome(made)) last.set(name, made.value)
      else last.delete(name)
    }

    const makeAnew = (name: string, make: Making) =>
      Effect.suspend(() => {
        const found = cache.get(name)
        if (found !== undefined) return Effect.succeedSome(found)
        const before = withdrawals
        return Effect.tap(cache.load(name, make), (made) =>
          Effect.sync(() => {
            // What was withdrawn meanwhile may be in it.
            if (withdrawals === before) remember(name, made)
          })
        )
      })

    const current = Effect.fnUntraced(function* (name: string, make: Making) {
      const known = cache.get(name)
      if (known !== undefined) return Option.some(known.document)
      const made = Deferred.await(
        yield* (name === catalogName ? catalogs : singles).of(name, makeAnew(name, make))
      )
      const inTime = last.has(name) ? yield* Effect.timeoutOption(made, patience) : Option.none()
      // By now it may have been withdrawn.
      const before = last.get(name)
      const described = Option.isSome(inTime)
        ? inTime.value
        : before === undefined
          ? yield* made
          : Option.some(before)
      return Option.map(described, ({ document }) => document)
    })

    return {
      /** Of everything that is published. */
      ofAll: Effect.map(current(catalogName, makeAll), Option.getOrThrow),

      /** Of one published API, all its versions. */
      of: (id: string): Effect.Effect<Document, ApiNotFound> =>
        idOr(id, notFound).pipe(
          Effect.flatMap((known) => current(known, makeOne(known))),
          foundOr(notFound)
        ),

      /** Forgets in this process what is known of the API; other processes hear of it from the database. */
      forget: (id: string) => Effect.sync(() => forget(id)),

      /** The same for an API that is no longer published: nothing that was said of it is given again. */
      withdraw: (id: string) =>
        Effect.sync(() => {
          withdraw(id)
          forget(id)
        })
    }
  })
}) {}
