import { Layer } from "effect"
import { InstancesApi } from "./api.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"
import * as schemas from "./schemas-http.ts"

/** KYC instances: what a company asks its users for, and how the page looks. */
export const instances = {
  contract: [InstancesApi],
  routes: Layer.merge(http.layer, schemas.layer),
  services: layer
} as const
