import { Layer } from "effect"
import * as companies from "../accounts/cli-layer.ts"
import * as keys from "./layer.ts"

export { ApiKeys as useCases } from "./service.ts"

export const layer = Layer.provideMerge(keys.layer, companies.layer)
