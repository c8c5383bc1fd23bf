import { Effect, Option } from "effect"
import { Changes } from "../../db/changes.ts"
import { fencedCache } from "../../db/fenced-cache.ts"
import { foundOr, idOr } from "../../found.ts"
import { type Document, documentOf } from "../../http/runtime/document.ts"
import { ApiNotFound } from "./errors.ts"
import { catalogChangedTopic, catalogName, plansChangedTopic } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

/**
 * Maximum number of cached pages. A page has at most some megabytes, since the number of its APIs, and of their versions and plans, is
 * bounded.
 */
const maxPages = 8

const notFound = () => new ApiNotFound()

/**
 * The public catalog of published APIs (contract.md#published-apis). Its pages are cached, ready to send, until the catalog changes, since
 * anybody may request the largest pages as often as they like.
 */
export class Catalog extends Effect.Service<Catalog>()("Catalog", {
  scoped: Effect.gen(function* () {
    const repo = yield* CatalogRepo
    const cache = yield* fencedCache<Document>(yield* Changes, {
      name: "api_lists",
      capacity: maxPages,
      topics: { [catalogChangedTopic]: () => catalogName, [plansChangedTopic]: () => catalogName }
    })

    const make = (limit: number, offset: number) =>
      Effect.map(repo.list(limit, offset), ({ items, total }) =>
        Option.some({
          value: documentOf(`{"apis":${items},"total":${total},"limit":${limit},"offset":${offset}}`),
          remainingMillis: null
        })
      )

    return {
      /** Most recently published first. */
      list: (limit: number, offset: number): Effect.Effect<Document> =>
        Effect.suspend(() => {
          const key = `${limit} ${offset}`
          const known = cache.get(key)
          return known === undefined
            ? Effect.map(cache.load(key, make(limit, offset)), Option.getOrThrow)
            : Effect.succeed(known)
        }),

      /** Also fails with `ApiNotFound` for a draft. */
      get: (id: string) => idOr(id, notFound).pipe(Effect.flatMap(repo.find), foundOr(notFound)),

      /** Empties this process's cache of pages. The database notifies other processes. */
      forgetLists: Effect.sync(() => {
        cache.forget(catalogChangedTopic, catalogName)
        cache.forget(plansChangedTopic, catalogName)
      })
    }
  })
}) {}
