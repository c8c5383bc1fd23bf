import { Layer } from "effect"
import * as droppedDeliveries from "../webhooks/dropped-layer.ts"
import { StoredWork } from "./service.ts"
import { StoredWorkRepo } from "./stored-repo.ts"

export { StoredWork as useCases } from "./service.ts"

export const layer = Layer.provide(
  StoredWork.Default,
  Layer.merge(StoredWorkRepo.Default, droppedDeliveries.layer)
)
