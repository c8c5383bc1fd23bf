import * as Effect from "effect/Effect"
import { CatalogRepo } from "./repo.ts"

/** Which stored documents are not published for what is in them, and how many have not been checked yet. */
export class DocumentStates extends Effect.Service<DocumentStates>()("DocumentStates", {
  dependencies: [CatalogRepo.Default],
  effect: Effect.map(CatalogRepo, (repo) => ({ find: repo.uncheckedOrRefused() }))
}) {}
