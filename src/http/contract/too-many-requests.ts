import { TooManyRequests } from "../../limits/errors.ts"
import { fails } from "./answers.ts"

/** Says when the next try will be accepted (RFC 9110, section 10.2.3). */
export const retryAfter = {
  headers: ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) => ({
    "retry-after": String(retryAfterSeconds)
  })
}

/** The row of the protective limits (contract.md#protective-limits). */
export const tooManyRequests = fails(TooManyRequests, 429, "Too many requests", retryAfter)
