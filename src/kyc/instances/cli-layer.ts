import { Layer } from "effect"
import * as companies from "../../accounts/cli-layer.ts"
import { Instances } from "./service.ts"

export const useCases = Instances

export const layer = Layer.provideMerge(Instances.Default, companies.layer)
