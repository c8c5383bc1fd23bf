import { InstancesApi } from "./api.ts"
import * as http from "./http.ts"
import { Instances } from "./service.ts"

/** KYC instances: what a company asks its users for, and how the page looks. */
export const instances = {
  contract: [InstancesApi],
  routes: http.layer,
  services: Instances.Default
} as const
