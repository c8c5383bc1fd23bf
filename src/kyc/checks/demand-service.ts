import { Effect } from "effect"
import { CheckRepo } from "./repo.ts"

/** Who wants photos to be looked at. */
export class CheckDemand extends Effect.Service<CheckDemand>()("CheckDemand", {
  dependencies: [CheckRepo.Default],
  effect: Effect.map(CheckRepo, ({ instances }) => ({
    /** How many instances of all companies have `checks.photos` on. */
    instances
  }))
}) {}
