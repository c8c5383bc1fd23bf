import { Layer } from "effect"
import { Upstreams } from "../marketplace/catalog/upstreams.ts"
import { UpstreamAddresses } from "./resolve.ts"

/** Makes the catalog reject upstreams to which the gateway would not connect. */
export const layer = Layer.project(
  UpstreamAddresses.Default,
  UpstreamAddresses,
  Upstreams,
  ({ objection }) => ({ objection })
)
