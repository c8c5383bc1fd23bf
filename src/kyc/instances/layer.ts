/** The services of KYC instances, for the server and for commands. */
import * as Layer from "effect/Layer"
import { InstanceRepo } from "./repo.ts"
import { Instances } from "./service.ts"

export const layer = Layer.provideMerge(Instances.Default, InstanceRepo.Default)
