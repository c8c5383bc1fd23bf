/** Plans, as shown to subscribers. */
import type { Answer } from "../../common/contract.ts"
import { count } from "../../common/parts.tsx"

export type ListedApi = Answer<"api-catalog.get">["api"]
type Plan = ListedApi["plans"][number]

type Limits = Pick<Plan, "requests_per_minute" | "requests_per_month">

/** The limits of a plan in one line. */
export const limitsOf = ({ requests_per_minute: minute, requests_per_month: month }: Limits): string => {
  if (minute === null && month === null) return "Unlimited calls"
  if (minute === null) return `${count(month ?? 0)} calls a month`
  return month === null
    ? `${count(minute)} calls a minute`
    : `${count(minute)} calls a minute, ${count(month)} a month`
}
