import { ReceiptKeysApi, ReceiptsApi } from "./api.ts"
import * as http from "./http.ts"
import { Receipts } from "./service.ts"

/** Signed receipts for end users. */
export const receipts = {
  contract: [ReceiptsApi, ReceiptKeysApi],
  routes: http.layer,
  services: Receipts.Default
} as const
