import { Layer } from "effect"
import * as client from "./client.ts"
import * as dashboard from "./dashboard.ts"
import * as docs from "./docs.ts"
import * as front from "./front.ts"
import * as kyc from "./kyc.ts"
import * as notFound from "./not-found.ts"

export const pages = {
  routes: Layer.mergeAll(front.layer, client.layer, dashboard.layer, docs.layer, kyc.layer, notFound.layer)
} as const
