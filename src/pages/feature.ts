import { Layer } from "effect"
import * as dashboard from "./dashboard.ts"
import * as docs from "./docs.ts"
import * as front from "./front.ts"
import * as kyc from "./kyc.ts"

export const pages = {
  routes: Layer.mergeAll(front.layer, dashboard.layer, docs.layer, kyc.layer)
} as const
