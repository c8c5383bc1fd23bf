import { Effect, Option } from "effect"
import { Config } from "../../config.ts"
import { Changes } from "../../db/changes.ts"
import { type Answer, fencedCache } from "../../db/fenced-cache.ts"
import { type Document, documentOf } from "../../http/runtime/document.ts"
import { pause } from "../../limits/turn-of-others.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { singleFlight } from "../../shared/single-flight.ts"
import { ApiNotFound } from "./errors.ts"
import { assembled, type Part } from "./exported-document.ts"
import { maxExportedSize } from "./exported-names.ts"
import { apiChangedTopic, catalogChangedTopic, catalogName } from "./model.ts"
import { CatalogRepo, type PublishedVersion } from "./repo.ts"

/** Maximum bytes of the parts in the description of all APIs. */
const maxSize = 4 * maxExportedSize

/** Minimum bytes that a part counts for, which bounds the number of parts. */
const leastSize = 1_024

/** Bytes read from the database before other work gets a turn. */
const bytesAtOnce = 1_048_576

/** Maximum number of cached descriptions. None is larger than the one of all APIs. */
const maxDescriptions = 8

/** Maximum listed omissions; all are counted. */
const maxOmitted = 1_000

interface Described {
  /** The id of an API, or `catalogName`. */
  readonly scope: string
  readonly document: Document
}

/** An API with omitted versions, and the path of its own description. */
interface Omitted {
  readonly api: string
  readonly reason: "too large"
  readonly versions: Array<string>
  readonly openapi: string
}

type Making = Effect.Effect<Option.Option<Answer<Described>>>

const notFound = () => new ApiNotFound()

/**
 * Selects what fits: `maxExportedSize` bytes per publisher, `maxSize` in all. An extension lists the rest, since
 * the specification has no field for it.
 */
const choose = (versions: ReadonlyArray<PublishedVersion>) => {
  const chosen: Array<PublishedVersion> = []
  const omitted = new Map<string, Omitted>()
  const used = new Map<string, number>()
  let total = 0
  for (const version of versions) {
    const { api_description, api_id, apiSlug, publisher_id, publisherSlug } = version
    const size = Math.max(leastSize, version.size + Buffer.byteLength(api_description))
    const own = (used.get(publisher_id) ?? 0) + size
    if (own <= maxExportedSize && total + size <= maxSize) {
      used.set(publisher_id, own)
      total += size
      chosen.push(version)
    } else {
      const known = omitted.get(api_id) ?? {
        api: `${publisherSlug}/${apiSlug}`,
        reason: "too large",
        versions: [],
        openapi: `/api/api-marketplace/apis/${api_id}/openapi.json`
      }
      known.versions.push(version.version)
      omitted.set(api_id, known)
    }
  }
  const apis = [...omitted.values()].slice(0, maxOmitted)
  return { chosen, more: omitted.size === 0 ? {} : { "x-doorlock-omitted": { total: omitted.size, apis } } }
}

/**
 * OpenAPI 3.1 descriptions of the published APIs, as called through the gateway (contract.md#published-apis).
 * Each is cached until an input changes. It only concatenates what was stored with each version.
 */
export class ApiDescriptions extends Effect.Service<ApiDescriptions>()("ApiDescriptions", {
  scoped: Effect.gen(function* () {
    const repo = yield* CatalogRepo
    const { gatewayUrl } = yield* Config
    const cache = yield* fencedCache<Described>(yield* Changes, {
      name: "api_descriptions",
      capacity: maxDescriptions,
      topics: { [apiChangedTopic]: ({ scope }) => scope, [catalogChangedTopic]: ({ scope }) => scope }
    })
    /** By the ids of versions. Reads them in batches. */
    const sectionsOf = Effect.fnUntraced(function* (versions: ReadonlyArray<PublishedVersion>) {
      const found = new Map<string, Part["sections"]>()
      for (let next = 0; next < versions.length; ) {
        const first: number = next
        for (let bytes = 0; bytes < bytesAtOnce && next < versions.length; next++) {
          bytes += versions[next]?.size ?? 0
        }
        const read = yield* repo.sections(versions.slice(first, next).map(({ id }) => id))
        for (const { id, sections } of read) found.set(id, sections)
        yield* pause
      }
      return found
    })

    const described = Effect.fnUntraced(function* (
      scope: string,
      info: object,
      versions: ReadonlyArray<PublishedVersion>
    ) {
      const { chosen, more } = choose(versions)
      const sections = yield* sectionsOf(chosen)
      const parts = chosen.map(
        (version): Part => ({
          place: version,
          description: version.api_description,
          sections: sections.get(version.id) ?? []
        })
      )
      const bytes = assembled({ info, serverUrl: gatewayUrl, more }, parts)
      return Option.some({ value: { scope, document: documentOf(bytes) }, remainingMillis: null })
    })

    const all = Effect.flatMap(repo.versions(), (versions) =>
      described(
        catalogName,
        {
          title: "Published APIs",
          version: "1",
          description: "Every API that is published here, as it is called through the gateway."
        },
        versions
      )
    )

    const single = Effect.fnUntraced(function* (id: string) {
      const api = yield* repo.find(id)
      if (Option.isNone(api)) return Option.none()
      const { description, name } = api.value
      const versions = yield* repo.versions(id)
      const info = {
        title: name,
        version: versions[0]?.version ?? "0",
        ...(description === "" ? undefined : { description })
      }
      return yield* described(id, info, versions)
    })

    const share = yield* singleFlight<Option.Option<Described>>()
    const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)

    /** A crowd shares what it asks for, also while nothing is cached. Those of single APIs are made one at a time. */
    const current = (scope: string, make: Making) => {
      const known = Effect.sync(() => Option.fromNullable(cache.get(scope)))
      const made = Effect.filterOrElse(known, Option.isSome, () => cache.load(scope, make))
      return known.pipe(
        Effect.filterOrElse(Option.isSome, () =>
          share(scope, scope === catalogName ? made : oneAtATime(made))
        ),
        Effect.map(Option.map(({ document }) => document))
      )
    }

    return {
      ofAll: Effect.map(current(catalogName, all), Option.getOrThrow),

      /** The description of one published API, with all its versions. */
      of: (id: string): Effect.Effect<Document, ApiNotFound> =>
        idOr(id, notFound).pipe(
          Effect.flatMap((known) => current(known, single(known))),
          foundOr(notFound)
        ),

      /** Removes the API from this process's caches. The database notifies other processes. */
      forget: (id: string) =>
        Effect.sync(() => {
          cache.forget(apiChangedTopic, id)
          cache.forget(catalogChangedTopic, catalogName)
        })
    }
  })
}) {}
