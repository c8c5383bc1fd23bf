import { whoMay } from "../../accounts/guards.ts"
import { type Callers, callerGuard } from "../../keys/guards.ts"

/** Who may read the copy of a file without metadata, and who its original. */
export const readers = {
  copy: { scope: "kyc:files:read", users: "any" },
  original: { scope: "kyc:files:original", users: "write" }
} as const satisfies Record<string, Callers>

/** One for both, because a query parameter says which of them a request asks for. */
export const fileReader = callerGuard(
  "file reader",
  readers.copy,
  `For platform API keys with the scope \`${readers.copy.scope}\`, and for ${whoMay.any}. With \`original=true\`: for platform API keys with the scope \`${readers.original.scope}\`, and for ${whoMay.write}.`,
  { ...readers.copy, users: readers.original.users }
)
