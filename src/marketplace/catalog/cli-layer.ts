/** The use cases behind the commands for published APIs, including how to find the company. */
import { Effect, Layer } from "effect"
import * as companies from "../../accounts/cli-layer.ts"
import * as upstreams from "../../gateway/upstreams-layer.ts"
import * as catalog from "./layer.ts"
import { Releases } from "./release-service.ts"
import { TakedownRepo } from "./takedown-repo.ts"
import { Takedowns } from "./takedown-service.ts"

export const useCases = Effect.all({ releases: Releases, takedowns: Takedowns })

export const layer = Layer.merge(Releases.Default, Takedowns.Default).pipe(
  Layer.provide(Layer.merge(catalog.layer, TakedownRepo.Default)),
  Layer.provide(upstreams.layer),
  Layer.provideMerge(companies.layer)
)
