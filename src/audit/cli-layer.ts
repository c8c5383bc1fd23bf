import { Effect } from "effect"
import { Anchored } from "./anchored-service.ts"
import { Audit } from "./service.ts"

export { layer } from "../accounts/cli-layer.ts"

export const useCases = Effect.all({ anchored: Anchored, audit: Audit })
