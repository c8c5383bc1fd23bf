import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Config } from "../../config.ts"
import { Changes } from "../../db/changes.ts"
import { fencedCache } from "../../db/fenced-cache.ts"
import { type Document, documentOf } from "../../http/document.ts"
import { isJsonObject } from "../../model.ts"
import { parseId } from "../../secrets/identifier.ts"
import { ApiNotFound } from "./errors.ts"
import { type Fragment, fragmentOf } from "./fragment.ts"
import { gatewayComponents, securityScheme } from "./gateway-answers.ts"
import { apiChangedTopic, catalogChangedTopic, catalogName } from "./model.ts"
import { maxExportedSize } from "./openapi-documents.ts"
import { componentSections } from "./openapi-grammar.ts"
import { CatalogRepo, type PublishedVersion } from "./repo.ts"
import { withoutUpstreams } from "./upstream-traces.ts"

/** Characters of all documents in the description of all APIs, at most. */
const maxSize = 4 * maxExportedSize

/** Characters of fragments kept, at most. They never change. */
const maxKept = 2 * maxSize

/** Descriptions kept, at most; none is larger than that of all. */
const maxDescriptions = 8

interface Described {
  /** The id of an API, or `catalogName`. */
  readonly scope: string
  readonly document: Document
}

interface Part {
  readonly version: PublishedVersion
  readonly fragment: Fragment
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

const joined = (texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join(",")

const members = (value: object): string => JSON.stringify(value).slice(1, -1)

const bySlugs = (a: Part, b: Part): number => {
  const [left, right] = [a, b].map(
    ({ version: { api_slug, publisher_slug } }) => `${publisher_slug}/${api_slug}`
  )
  return left === right ? 0 : String(left) < String(right) ? -1 : 1
}

/** Puts the parts together, in an order that does not depend on when they were made. */
const assembled = (info: object, serverUrl: string, parts: ReadonlyArray<Part>): string => {
  const fragments = parts.toSorted(bySlugs).map(({ fragment }) => fragment)
  const all = (choose: (fragment: Fragment) => string) => joined(fragments.map(choose))
  const ofGateway: Readonly<Record<string, object>> = gatewayComponents
  const components = [...componentSections, "securitySchemes"].flatMap((section) => {
    const text = joined([
      members(ofGateway[section] ?? {}),
      all((fragment) => fragment.components.get(section) ?? "")
    ])
    return text === "" ? [] : [`${JSON.stringify(section)}:{${text}}`]
  })
  const webhooks = all((fragment) => fragment.webhooks)
  const head = members({
    openapi: "3.1.1",
    info,
    servers: [{ url: serverUrl }],
    security: [{ [securityScheme]: [] }]
  })
  return `{${joined([
    head,
    `"tags":[${all(({ tags }) => tags)}]`,
    `"paths":{${all(({ paths }) => paths)}}`,
    webhooks === "" ? "" : `"webhooks":{${webhooks}}`,
    `"components":{${components.join(",")}}`
  ])}}`
}

/**
 * OpenAPI 3.1 descriptions of what is published: as it is called through the gateway, and with nothing of the upstreams
 * (decisions, section 5). Kept until something of them changes; made one at a time, from the parts of versions that are kept,
 * so that nobody can keep the process busy with them.
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
    const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)

    const kept = new Map<string, Fragment>()
    let keptSize = 0

    const keep = (id: string, fragment: Fragment) => {
      kept.set(id, fragment)
      keptSize += fragment.size
      for (const [oldest, { size }] of kept) {
        if (keptSize <= maxKept) break
        kept.delete(oldest)
        keptSize -= size
      }
    }

    const fragment = Effect.fnUntraced(function* (version: PublishedVersion) {
      const known = kept.get(version.id)
      if (known !== undefined) return known
      const document = yield* repo.document(version.id)
      // A large one takes tens of milliseconds: others get their turn in between.
      yield* Effect.yieldNow()
      const made = fragmentOf(placeOf(version), isJsonObject(document) ? document : null)
      keep(version.id, made)
      return made
    })

    /** The parts that fit; of the versions that do not, and of those without a document, the tag. */
    const partsOf = Effect.fnUntraced(function* (versions: ReadonlyArray<PublishedVersion>) {
      const parts: Array<Part> = []
      const used = new Map<string, number>()
      const full = new Set<string>()
      let total = 0
      for (const version of versions) {
        const publisher = version.publisher_id
        const ofPublisher = used.get(publisher) ?? 0
        const whole =
          version.has_openapi && total < maxSize && !full.has(publisher)
            ? yield* fragment(version)
            : undefined
        const fits =
          whole !== undefined && ofPublisher + whole.size <= maxExportedSize && total + whole.size <= maxSize
        if (whole !== undefined && !fits) full.add(publisher)
        const part = fits ? whole : fragmentOf(placeOf(version), null)
        if (fits) {
          used.set(publisher, ofPublisher + part.size)
          total += part.size
        }
        parts.push({ version, fragment: part })
      }
      return parts
    })

    const described = (scope: string, info: object, parts: ReadonlyArray<Part>) =>
      Option.some({
        value: { scope, document: documentOf(assembled(info, gatewayUrl, parts)) },
        remainingMillis: null
      })

    const makeAll = Effect.map(Effect.flatMap(repo.versions(), partsOf), (parts) =>
      described(
        catalogName,
        {
          title: "Published APIs",
          version: "1",
          description: "Every API that is published here, as it is called through the gateway."
        },
        parts
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
        yield* partsOf(versions)
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
