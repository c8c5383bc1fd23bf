import { Layer } from "effect"
import { InstanceRepo } from "./repo.ts"
import { Instances } from "./service.ts"

export const layer = Layer.provideMerge(Instances.Default, InstanceRepo.Default)
