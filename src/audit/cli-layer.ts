/** The use cases behind the audit commands. */
import * as Effect from "effect/Effect"
import { Anchored } from "./anchored-service.ts"
import { Audit } from "./service.ts"

export { layer } from "../accounts/cli-layer.ts"

export const useCases = Effect.all({ anchored: Anchored, audit: Audit })
