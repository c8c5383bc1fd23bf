/** What acts of every kind have in common. */
import type { Company } from "../credentials.ts"
import type { RawAnswer } from "../http/raw.ts"

/** A name that nothing else has. */
export const fresh = (what: string) => `${what}-${crypto.randomUUID()}`

export const bodyOf = ({ body }: RawAnswer): unknown => JSON.parse(body)

/** One event of that action, about what was named `$1` then. */
export const event = (action: string) =>
  `(select count(*) = 1 from audit_events where action = '${action}' and resource_name = $1)`

export const dashboard = ({ member }: Company) => [`Cookie: ${member.cookie}`]
