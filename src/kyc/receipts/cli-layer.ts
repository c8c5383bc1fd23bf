/** The services that the commands for receipts use. */
import { ReceiptKeys } from "./keys-service.ts"

export const useCases = ReceiptKeys

export const layer = ReceiptKeys.Default
