import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Config } from "../../config.ts"
import { Changes } from "../../db/changes.ts"
import { fencedCache } from "../../db/fenced-cache.ts"
import { type Document, documentOf } from "../../http/document.ts"
import { parseId } from "../../secrets/identifier.ts"
import { ApiNotFound } from "./errors.ts"
import { assembled, type Part } from "./exported-document.ts"
import { type Fragment, fragmentOf } from "./fragment.ts"
import { apiChangedTopic, catalogChangedTopic, catalogName } from "./model.ts"
import { maxExportedSize } from "./openapi-check.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import { CatalogRepo, type PublishedVersion } from "./repo.ts"
import { withoutUpstreams } from "./upstream-traces.ts"

/** Bytes of the parts in the description of all APIs, at most. */
const maxSize = 4 * maxExportedSize

/** Bytes of fragments kept, at most. */
const maxKept = 2 * maxSize

/** Descriptions kept, at most; none is larger than that of all. */
const maxDescriptions = 8

/** APIs that a description names as left out, at most; it counts them all. */
const maxOmitted = 1_000

/** Versions looked at before others get their turn. */
const atOnce = 100

interface Described {
  /** The id of an API, or `catalogName`. */
  readonly scope: string
  readonly document: Document
}

/** A fragment, and what it was made with that may change. */
interface Kept {
  readonly description: string
  readonly fragment: Fragment
}

/** An API of which versions were left out, for they did not fit. */
interface Omitted {
  /** `<publisher>/<api>` */
  readonly api: string
  readonly versions: Array<string>
  /** The path of the API's own description. */
  readonly openapi: string
}

interface Chosen {
  readonly parts: ReadonlyArray<Part>
  readonly omitted: ReadonlyArray<Omitted>
}

const placeOf = (version: PublishedVersion) => ({
  publisherSlug: version.publisher_slug,
  apiSlug: version.api_slug,
  version: version.version,
  description: version.api_description,
  upstreams:
    version.sandbox_upstream_url === null
      ? ([version.upstream_url] as const)
      : ([version.upstream_url, version.sandbox_upstream_url] as const)
})

/** Says what is not there; an extension, since the specification has no field for it. */
const omission = (omitted: ReadonlyArray<Omitted>): object =>
  omitted.length === 0
    ? {}
    : { "x-doorlock-omitted": { total: omitted.length, apis: omitted.slice(0, maxOmitted) } }

/**
 * OpenAPI 3.1 descriptions of what is published: as it is called through the gateway, and with nothing of the upstreams
 * (decisions, section 5). Kept until something of them changes; made one at a time, from the parts of versions that are kept.
 * Parts are made in the thread for documents; here they are only copied, 16 MiB at most.
 */
export class ApiDescriptions extends Effect.Service<ApiDescriptions>()("ApiDescriptions", {
  scoped: Effect.gen(function* () {
    const repo = yield* CatalogRepo
    const documents = yield* OpenApiDocuments
    const { gatewayUrl } = yield* Config
    const cache = yield* fencedCache<Described>(yield* Changes, {
      name: "api_descriptions",
      capacity: maxDescriptions,
      topics: { [apiChangedTopic]: ({ scope }) => scope, [catalogChangedTopic]: ({ scope }) => scope }
    })
    const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)

    const kept = new Map<string, Kept>()
    let keptSize = 0

    const forgetFragment = (id: string) => {
      keptSize -= kept.get(id)?.fragment.size ?? 0
      kept.delete(id)
    }

    const keep = (id: string, made: Kept) => {
      forgetFragment(id)
      kept.set(id, made)
      keptSize += made.fragment.size
      for (const oldest of kept.keys()) {
        if (keptSize <= maxKept) break
        forgetFragment(oldest)
      }
    }

    /** Undefined when it cannot be made in time. */
    const fragmentFor = Effect.fnUntraced(function* (version: PublishedVersion) {
      const place = placeOf(version)
      if (!version.has_openapi) return fragmentOf(place, null)
      const { description } = place
      const known = kept.get(version.id)
      if (known?.description === description) return known.fragment
      const text = yield* repo.document(version.id)
      const fragment = yield* documents.fragment(version.publisher_id, text ?? "null", place)
      if (fragment !== undefined) keep(version.id, { description, fragment })
      return fragment
    })

    /**
     * The parts that fit, and what does not: of each publisher as many bytes as one document may come to, of all four times as
     * many. Once one did not fit, no further document of the publisher is looked at, so that a large catalog costs no more.
     */
    const choose = Effect.fnUntraced(function* (versions: ReadonlyArray<PublishedVersion>) {
      const parts: Array<Part> = []
      const omitted = new Map<string, Omitted>()
      const used = new Map<string, number>()
      const full = new Set<string>()
      let total = 0
      for (const [index, version] of versions.entries()) {
        if (index % atOnce === 0) yield* Effect.yieldNow()
        const { api_id, publisher_id } = version
        const ofPublisher = used.get(publisher_id) ?? 0
        const fragment =
          version.has_openapi && full.has(publisher_id) ? undefined : yield* fragmentFor(version)
        const place = placeOf(version)
        if (
          fragment !== undefined &&
          ofPublisher + fragment.size <= maxExportedSize &&
          total + fragment.size <= maxSize
        ) {
          used.set(publisher_id, ofPublisher + fragment.size)
          total += fragment.size
          parts.push({ place, fragment })
          continue
        }
        full.add(publisher_id)
        const known = omitted.get(api_id) ?? {
          api: `${place.publisherSlug}/${place.apiSlug}`,
          versions: [],
          openapi: `/api/api-marketplace/apis/${api_id}/openapi.json`
        }
        known.versions.push(version.version)
        omitted.set(api_id, known)
      }
      return { parts, omitted: [...omitted.values()] } satisfies Chosen
    })

    const described = (scope: string, info: object, { omitted, parts }: Chosen) => {
      const bytes = assembled({ info, serverUrl: gatewayUrl, more: omission(omitted) }, parts)
      return Option.some({ value: { scope, document: documentOf(bytes) }, remainingMillis: null })
    }

    const makeAll = Effect.map(Effect.flatMap(repo.versions(), choose), (chosen) =>
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
      const clean = (text: string) =>
        versions.reduce((rest, version) => withoutUpstreams(placeOf(version))(rest), text)
      const { description, name } = api.value
      return described(
        id,
        {
          title: clean(name),
          version: versions[0]?.version ?? "0",
          ...(description === "" ? undefined : { description: clean(description) })
        },
        yield* choose(versions)
      )
    })

    const cached = (
      scope: string,
      make: Effect.Effect<Option.Option<{ readonly value: Described; readonly remainingMillis: null }>>
    ): Effect.Effect<Option.Option<Document>> => {
      const known = Effect.sync(() => Option.fromNullable(cache.get(scope)))
      const ask = Effect.flatMap(
        known,
        Option.match({ onNone: () => cache.load(scope, make), onSome: (found) => Effect.succeedSome(found) })
      )
      return Effect.map(
        Effect.flatMap(
          known,
          Option.match({ onNone: () => oneAtATime(ask), onSome: (found) => Effect.succeedSome(found) })
        ),
        Option.map(({ document }) => document)
      )
    }

    return {
      /** Of everything that is published. */
      ofAll: Effect.map(cached(catalogName, makeAll), Option.getOrThrow),

      /** Of one published API, all its versions. */
      of: (id: string): Effect.Effect<Document, ApiNotFound> => {
        const known = parseId(id)
        return known === undefined
          ? Effect.fail(new ApiNotFound())
          : Effect.flatMap(
              cached(known, makeOne(known)),
              Option.match({ onNone: () => Effect.fail(new ApiNotFound()), onSome: Effect.succeed })
            )
      },

      /** Forgets in this process what is known of the API; other processes hear of it from the database. */
      forget: (id: string) =>
        Effect.sync(() => {
          cache.forget(apiChangedTopic, id)
          cache.forget(catalogChangedTopic, catalogName)
        })
    }
  })
}) {}
