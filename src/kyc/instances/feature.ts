import { InstancesApi } from "./api.ts"
import * as http from "./http.ts"
import { layer } from "./layer.ts"

/** KYC instances: what a company asks its users for, and how the page looks. */
export const instances = {
  contract: [InstancesApi],
  routes: http.layer,
  services: layer
} as const
