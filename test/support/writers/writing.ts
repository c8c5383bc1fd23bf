/** Helpers that all writers share. */
import type { Company } from "../credentials.ts"
import type { RawAnswer } from "../http/raw.ts"

/** A unique name. */
export const fresh = (what: string) => `${what}-${crypto.randomUUID()}`

export const bodyOf = ({ body }: RawAnswer): unknown => JSON.parse(body)

/** One event of that action, for the subject named `$1` at the time. */
export const event = (action: string) =>
  `(select count(*) = 1 from audit_events where action = '${action}' and resource_name = $1)`

export const dashboard = ({ member }: Company) => [`Cookie: ${member.cookie}`]
