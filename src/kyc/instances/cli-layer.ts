import { Layer } from "effect"
import * as companies from "../../accounts/cli-layer.ts"
import * as instances from "./layer.ts"

export { Instances as useCases } from "./service.ts"

export const layer = Layer.provideMerge(instances.layer, companies.layer)
