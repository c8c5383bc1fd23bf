import { Effect, Option } from "effect"
import { Changes } from "../../db/changes.ts"
import { fencedCache } from "../../db/fenced-cache.ts"
import { type Document, documentOf } from "../../http/runtime/document.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { ApiNotFound } from "./errors.ts"
import { catalogChangedTopic, catalogName, plansChangedTopic } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

/** Maximum number of cached pages, of some megabytes at most: the contents of each API are bounded. */
const maxPages = 8

const notFound = () => new ApiNotFound()

/** The public catalog (contract.md#published-apis). Pages are cached: anybody may ask for the largest. */
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
