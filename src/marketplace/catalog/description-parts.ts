/** The versions, names and texts in a description of published APIs, and what does not fit into it. */
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { pause } from "../../limits/turn-of-others.ts"
import { maxExportedSize } from "./allowance.ts"
import type { Part } from "./exported-document.ts"
import { placeOf } from "./exported-names.ts"
import { type Fragment, sizeOf, unpacked } from "./fragment.ts"
import { FragmentRepo } from "./fragment-repo.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import type { PublishedVersion } from "./repo.ts"

/** Maximum bytes of the parts in the description of all APIs. */
const maxSize = 4 * maxExportedSize

/** Minimum bytes that a part counts for, which bounds the number of parts. */
const leastSize = 1_024

/** Maximum bytes of cached fragments, and of cached names and descriptions. */
const maxKept = { fragments: 2 * maxSize, words: 2 * maxSize } as const

/** Bytes read from the database before other work gets a turn. */
const bytesAtOnce = 1_048_576

/** Versions processed before other work gets a turn. */
const atOnce = 100

/** The name and the description of an API, without its upstreams. */
interface ApiWords {
  readonly name: string
  readonly description: string
}

/** The version does not fit, or its document is unchecked, was refused, or could not be checked. */
type Reason = "too large" | "unchecked" | "refused" | "set aside"

const reasonWithout = ({ is_refused, is_set_aside }: PublishedVersion): Reason =>
  is_refused ? "refused" : is_set_aside ? "set aside" : "unchecked"

/** A new check of a document produces a new fragment, so the cache key includes the revision. */
const fragmentKey = ({ id, revision }: PublishedVersion): string => `${id} ${revision}`

/** An API with omitted versions. */
export interface Omitted {
  /** `<publisher>/<api>` */
  readonly api: string
  readonly reason: Reason
  readonly versions: Array<string>
  /** The path of the API's own description. */
  readonly openapi: string
}

export interface Chosen {
  readonly parts: ReadonlyArray<Part>
  readonly omitted: ReadonlyArray<Omitted>
  /** Whether part of it is not available yet. */
  readonly isProvisional: boolean
}

export const byApi = (versions: ReadonlyArray<PublishedVersion>) =>
  Map.groupBy(versions, ({ api_id }) => api_id)

/** Covers the inputs of an API's name and description. Versions never change, and are only added. */
const wordsKey = (versions: ReadonlyArray<PublishedVersion>): string => {
  const [newest] = versions
  const inputs = JSON.stringify([versions.length, newest?.api_name, newest?.api_description])
  return `${newest?.api_id} ${Bun.hash(inputs)}`
}

/** Splits items into lists of roughly `bytesAtOnce` bytes. */
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

/** Caches fragments, names and descriptions as far as there is room. */
export const descriptionParts = Effect.gen(function* () {
  const stored = yield* FragmentRepo
  const documents = yield* OpenApiDocuments
  // One more than their bytes, because the cache requires a size above 0 for an empty one.
  const fragments = new LRUCache<string, Fragment>({
    maxSize: maxKept.fragments,
    sizeCalculation: (fragment) => 1 + sizeOf(fragment)
  })
  const words = new LRUCache<string, ApiWords>({
    maxSize: maxKept.words,
    sizeCalculation: ({ description, name }) => 1 + 2 * (name.length + description.length)
  })

  /** The names and descriptions by API id, without those that could not be produced in time. */
  const wordsOf = Effect.fnUntraced(function* (
    publisherId: string,
    apis: ReadonlyMap<string, ReadonlyArray<PublishedVersion>>
  ) {
    const found = new Map<string, ApiWords>()
    const missing: Array<readonly [id: string, versions: ReadonlyArray<PublishedVersion>]> = []
    for (const [id, versions] of apis) {
      const known = words.get(wordsKey(versions))
      if (known === undefined) missing.push([id, versions])
      else found.set(id, known)
    }
    const texts = missing.flatMap(([, [newest, ...older]]) => {
      if (newest === undefined) return []
      const places = [newest, ...older].map(placeOf)
      return [newest.api_name, newest.api_description].map((text) => ({ text, places }))
    })
    const made = yield* documents.withoutUpstreams(publisherId, texts)
    if (made === undefined) return found
    for (const [index, [id, versions]] of missing.entries()) {
      const [name = "", description = ""] = made.slice(2 * index)
      found.set(id, { name, description })
      words.set(wordsKey(versions), { name, description })
    }
    return found
  })

  /** Fragments by version id. Reads those that are not cached from the database, in batches. */
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
        fragments.set(fragmentKey(version), fragment)
        yield* pause
      }
    }
    return found
  })

  /** Selects what fits: `maxExportedSize` bytes per publisher, `maxSize` in all. Lists the rest. */
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

    /** The publisher's APIs with a version that fits beside the others. Other APIs need no name and description. */
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

  return { wordsOf, choose }
})
