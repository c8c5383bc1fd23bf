import { Effect } from "effect"
import { foundOr, idOr } from "../../found.ts"
import { ApiNotFound } from "./errors.ts"
import type { ListedApi } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

const notFound = () => new ApiNotFound()

/** The public catalog of published APIs (contract.md#published-apis). */
export class Catalog extends Effect.Service<Catalog>()("Catalog", {
  effect: Effect.gen(function* () {
    const repo = yield* CatalogRepo

    /** Also fails with `ApiNotFound` for a draft. */
    const get = (id: string): Effect.Effect<ListedApi, ApiNotFound> =>
      idOr(id, notFound).pipe(Effect.flatMap(repo.find), foundOr(notFound))

    return { get }
  })
}) {}
