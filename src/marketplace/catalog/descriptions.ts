import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Config } from "../../config.ts"
import { Changes } from "../../db/changes.ts"
import { type Answer, fencedCache } from "../../db/fenced-cache.ts"
import { type Document, documentOf } from "../../http/document.ts"
import { pause } from "../../limits/turn-of-others.ts"
import { parseId } from "../../secrets/identifier.ts"
import { maxExportedSize } from "./allowance.ts"
import { ApiNotFound } from "./errors.ts"
import { assembled, type Part } from "./exported-document.ts"
import { placeOf } from "./exported-names.ts"
import { type Fragment, sizeOf, unpacked } from "./fragment.ts"
import { FragmentRepo } from "./fragment-repo.ts"
import { Kept } from "./kept.ts"
import { makings } from "./makings.ts"
import { apiChangedTopic, apiWithdrawnTopic, catalogChangedTopic, catalogName } from "./model.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import { CatalogRepo, type PublishedVersion } from "./repo.ts"

/** Bytes of the parts in the description of all APIs, at most. */
const maxSize = 4 * maxExportedSize

/** Bytes that a part counts for, at least, so that there are not too many of them. */
const leastSize = 1_024

/** Bytes of fragments kept, at most, and of words. */
const maxKept = { fragments: 2 * maxSize, words: 2 * maxSize } as const

/** Bytes read from the database, or copied, before others get their turn. */
const bytesAtOnce = 1_048_576

/** Descriptions kept, at most; none is larger than that of all. */
const maxDescriptions = 8

/** Entries of what was left out, at most; all are counted. */
const maxOmitted = 1_000

/** Versions looked at before others get their turn. */
const atOnce = 100

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

type Making = Effect.Effect<Option.Option<Answer<Described>>>

/** The name and the description of an API without its upstreams. */
interface ApiWords {
  readonly name: string
  readonly description: string
}

/** Why a version is left out: it does not fit, its document has not been checked yet, was refused, or could not be checked. */
type Reason = "too large" | "unchecked" | "refused" | "set aside"

const reasonWithout = ({ is_refused, is_set_aside }: PublishedVersion): Reason =>
  is_refused ? "refused" : is_set_aside ? "set aside" : "unchecked"

/** What a version is kept under: its fragment is another once its document has been checked again. */
const fragmentKey = ({ id, revision }: PublishedVersion): string => `${id} ${revision}`

/** An API of which versions were left out. */
interface Omitted {
  /** `<publisher>/<api>` */
  readonly api: string
  readonly reason: Reason
  readonly versions: Array<string>
  /** The path of the API's own description. */
  readonly openapi: string
}

interface Chosen {
  readonly parts: ReadonlyArray<Part>
  readonly omitted: ReadonlyArray<Omitted>
  /** Whether something of it will be known later. */
  readonly isProvisional: boolean
}

/** Says what is not there; an extension, since the specification has no field for it. */
const omission = (omitted: ReadonlyArray<Omitted>): object =>
  omitted.length === 0
    ? {}
    : { "x-doorlock-omitted": { total: omitted.length, apis: omitted.slice(0, maxOmitted) } }

/** The versions of each API, in their order. */
const byApi = (versions: ReadonlyArray<PublishedVersion>) => Map.groupBy(versions, ({ api_id }) => api_id)

/** What the words of an API are made from: it changes when they may. Versions never change, and are only ever added. */
const originOf = (versions: ReadonlyArray<PublishedVersion>): string => {
  const [newest] = versions
  return JSON.stringify([versions.length, newest?.api_name, newest?.api_description])
}

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

/** In lists of about so many bytes. */
const batches = <A>(
  items: ReadonlyArray<A>,
  sizeOf: (item: A) => number
): ReadonlyArray<ReadonlyArray<A>> => {
  const all: Array<Array<A>> = []
  let size = bytesAtOnce
  for (const item of items) {
    if (size >= bytesAtOnce) {
      all.push([])
      size = 0
    }
    all.at(-1)?.push(item)
    size += sizeOf(item)
  }
  return all
}

/**
 * OpenAPI 3.1 descriptions of what is published: as it is called through the gateway, and with nothing of the upstreams
 * (contract.md#published-apis). Kept until something of them changes; made one at a time, from what was stored of each version's
 * document when it was checked. Here that is only copied; the words of APIs are made in a thread that checks nothing, once for each
 * change of the API, and those of a publisher in one job, which takes a bounded number of steps.
 */
export class ApiDescriptions extends Effect.Service<ApiDescriptions>()("ApiDescriptions", {
  scoped: Effect.gen(function* () {
    const repo = yield* CatalogRepo
    const stored = yield* FragmentRepo
    const documents = yield* OpenApiDocuments
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

    const fragments = new Kept<Fragment>(maxKept.fragments)
    const words = new Kept<{ readonly origin: bigint; readonly words: ApiWords }>(maxKept.words)

    /** What one publisher's APIs are in words, by their ids; of those that could not be made in time there is none. */
    const wordsOf = Effect.fnUntraced(function* (
      publisherId: string,
      apis: ReadonlyMap<string, ReadonlyArray<PublishedVersion>>
    ) {
      const found = new Map<string, ApiWords>()
      const missing: Array<{
        readonly id: string
        readonly origin: bigint
        readonly versions: ReadonlyArray<PublishedVersion>
      }> = []
      for (const [id, versions] of apis) {
        const origin = BigInt(Bun.hash(originOf(versions)))
        const known = words.get(id)
        if (known?.origin === origin) found.set(id, known.words)
        else missing.push({ id, origin, versions })
      }
      const texts = missing.flatMap(({ versions: [newest, ...older] }) => {
        if (newest === undefined) return []
        const places = [newest, ...older].map(placeOf)
        return [newest.api_name, newest.api_description].map((text) => ({ text, places }))
      })
      const made = yield* documents.withoutUpstreams(publisherId, texts)
      if (made === undefined) return found
      for (const [index, { id, origin }] of missing.entries()) {
        const [name = "", description = ""] = made.slice(2 * index)
        found.set(id, { name, description })
        words.keep(id, { origin, words: { name, description } }, 2 * (name.length + description.length))
      }
      return found
    })

    /** By the ids of their versions. Those that are not kept are read, some at a time. */
    const fragmentsOf = Effect.fnUntraced(function* (versions: ReadonlyArray<PublishedVersion>) {
      const found = new Map<string, Fragment>()
      const missing: Array<PublishedVersion> = []
      for (const version of versions) {
        const known = fragments.get(fragmentKey(version))
        if (known !== undefined) found.set(version.id, known)
        else if (version.size !== null) missing.push(version)
      }
      for (const batch of batches(missing, ({ size }) => size ?? 0)) {
        const read = yield* stored.find(batch.map(({ id }) => id))
        for (const version of batch) {
          const one = read.get(version.id)
          if (one === undefined) continue
          const fragment = unpacked(one)
          found.set(version.id, fragment)
          fragments.keep(fragmentKey(version), fragment, sizeOf(fragment))
          yield* pause
        }
      }
      return found
    })

    /**
     * The parts that fit, and what does not: of each publisher as many bytes as one document may come to, of all four times as
     * many.
     */
    const choose = Effect.fnUntraced(function* (versions: ReadonlyArray<PublishedVersion>) {
      const chosen: Array<{ readonly version: PublishedVersion; readonly description: string }> = []
      const omitted = new Map<string, Omitted>()
      const used = new Map<string, number>()
      let total = 0
      let isProvisional = false

      const omit = ({ api_id, api_slug, publisher_slug, version }: PublishedVersion, reason: Reason) => {
        if (reason === "unchecked") isProvisional = true
        const key = `${api_id} ${reason}`
        const known = omitted.get(key) ?? {
          api: `${publisher_slug}/${api_slug}`,
          reason,
          versions: [],
          openapi: `/api/api-marketplace/apis/${api_id}/openapi.json`
        }
        known.versions.push(version)
        omitted.set(key, known)
      }
      const fits = ({ publisher_id }: PublishedVersion, size: number) =>
        (used.get(publisher_id) ?? 0) + size <= maxExportedSize && total + size <= maxSize

      /** The APIs of a publisher that have a version which fits beside the others: the words of others are not needed. */
      const wanted = (own: ReadonlyArray<PublishedVersion>) => {
        const found = new Map<string, ReadonlyArray<PublishedVersion>>()
        let room = Math.min(maxExportedSize, maxSize - total)
        for (const [id, ofApi] of byApi(own)) {
          for (const { api_description, has_openapi, size } of ofApi) {
            if (has_openapi && size === null) continue
            const bytes = Math.max(leastSize, (size ?? 0) + Buffer.byteLength(api_description))
            if (bytes > room) continue
            room -= bytes
            found.set(id, ofApi)
          }
        }
        return found
      }

      let looked = 0
      for (const [publisherId, own] of Map.groupBy(versions, ({ publisher_id }) => publisher_id)) {
        const fitting = wanted(own)
        const words = yield* wordsOf(publisherId, fitting)
        for (const version of own) {
          looked++
          if (looked % atOnce === 0) yield* pause
          if (version.has_openapi && version.size === null) {
            omit(version, reasonWithout(version))
            continue
          }
          const description = words.get(version.api_id)?.description
          const size = Math.max(leastSize, (version.size ?? 0) + Buffer.byteLength(description ?? ""))
          if (!(fitting.has(version.api_id) && fits(version, size))) {
            omit(version, "too large")
            continue
          }
          if (description === undefined) isProvisional = true
          used.set(publisherId, (used.get(publisherId) ?? 0) + size)
          total += size
          chosen.push({ version, description: description ?? "" })
        }
      }

      const found = yield* fragmentsOf(chosen.map(({ version }) => version))
      const parts: Array<Part> = []
      for (const { description, version } of chosen) {
        const fragment = found.get(version.id)
        if (version.has_openapi && fragment === undefined) omit(version, "unchecked")
        else parts.push({ place: placeOf(version), description, fragment })
      }
      return { parts, omitted: [...omitted.values()], isProvisional } satisfies Chosen
    })

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
    const last = new Map<string, Described>()
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
      last.delete(name)
      if (Option.isNone(made)) return
      last.set(name, made.value)
      for (const oldest of last.keys()) {
        if (last.size <= maxDescriptions) break
        last.delete(oldest)
      }
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
      of: (id: string): Effect.Effect<Document, ApiNotFound> => {
        const known = parseId(id)
        return known === undefined
          ? Effect.fail(new ApiNotFound())
          : Effect.flatMap(
              current(known, makeOne(known)),
              Option.match({ onNone: () => Effect.fail(new ApiNotFound()), onSome: Effect.succeed })
            )
      },

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
