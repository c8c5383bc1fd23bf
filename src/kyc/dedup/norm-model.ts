/** Imports nothing, because the hosted page loads it. */

/** A number or name as it is compared with those of other sessions: full-width digits, case, spaces and dashes make no difference. */
export const norm = (value: string): string =>
  value
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
