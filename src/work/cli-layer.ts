import { Layer } from "effect"
import { StoredWork } from "./service.ts"
import { StoredWorkRepo } from "./stored-repo.ts"

export { StoredWork as useCases } from "./service.ts"

export const layer = Layer.provide(StoredWork.Default, StoredWorkRepo.Default)
