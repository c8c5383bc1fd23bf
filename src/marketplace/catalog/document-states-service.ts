import { Effect } from "effect"
import { CatalogRepo } from "./repo.ts"

/** Which stored documents are not published because of their content, and how many are still unchecked. */
export class DocumentStates extends Effect.Service<DocumentStates>()("DocumentStates", {
  dependencies: [CatalogRepo.Default],
  effect: Effect.map(CatalogRepo, (repo) => ({ find: repo.uncheckedOrRefused() }))
}) {}
