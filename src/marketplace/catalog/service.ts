import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseId } from "../../secrets/identifier.ts"
import { ApiNotFound } from "./errors.ts"
import type { ListedApi } from "./model.ts"
import { CatalogRepo } from "./repo.ts"

/** The published APIs, as everybody may read of them (contract.md#published-apis). */
export class Catalog extends Effect.Service<Catalog>()("Catalog", {
  effect: Effect.gen(function* () {
    const repo = yield* CatalogRepo

    /** Fails with `ApiNotFound` for a draft, too. */
    const get = (id: string): Effect.Effect<ListedApi, ApiNotFound> => {
      const known = parseId(id)
      return known === undefined
        ? Effect.fail(new ApiNotFound())
        : Effect.flatMap(
            repo.find(known),
            Option.match({ onNone: () => Effect.fail(new ApiNotFound()), onSome: Effect.succeed })
          )
    }

    return { get }
  })
}) {}
