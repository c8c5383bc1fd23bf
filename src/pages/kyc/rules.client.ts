/** The rules of a workflow: a closed set of comparisons, so that a partner's text is never run. */
import { isObject, type Json, list, object, objects, oneOf, text, texts } from "./json.client.ts"

const operators = ["eq", "ne", "in", "nin", "lt", "gt", "exists", "ageLt"] as const

export interface Rule {
  /** The step it is looked at after. */
  readonly after: string
  /** Step and field, such as `person.nationality`. */
  readonly path: string
  readonly operator: (typeof operators)[number]
  readonly value: unknown
  /** The code that the session fails with. */
  readonly fail: string | undefined
  readonly skip: ReadonlyArray<string>
}

/** Reads rules; one that names no step, path or known comparison is left out. */
export const readRules = (value: unknown): ReadonlyArray<Rule> =>
  objects(value).flatMap((rule) => {
    const condition = object(rule.if)
    const consequence = object(rule.then)
    const after = text(rule.after)
    const path = text(condition.path)
    const operator = oneOf(condition.op, operators)
    if (after === undefined || path === undefined || operator === undefined) return []
    return [
      {
        after,
        path,
        operator,
        value: condition.value,
        fail: text(consequence.fail),
        skip: texts(consequence.skip)
      }
    ]
  })

/** Whole years from a date (`YYYY-MM-DD`) to a day, or undefined when it is no date. */
export const ageOn = (date: string, day: Date): number | undefined => {
  const [, year, month, dayOfMonth] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date)?.map(Number) ?? []
  if (year === undefined || month === undefined || dayOfMonth === undefined) return undefined
  // The 31st of February would be taken for the 3rd of March.
  if (new Date(year, month - 1, dayOfMonth).getMonth() + 1 !== month) return undefined
  const before = day.getMonth() + 1 < month || (day.getMonth() + 1 === month && day.getDate() < dayOfMonth)
  return day.getFullYear() - year - (before ? 1 : 0)
}

/** The answers of a session, by the id of their step. */
export type Answers = Readonly<Record<string, Json>>

const valueAt = (answers: Answers, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), answers)

const isBelow = (value: unknown, limit: unknown): boolean =>
  (typeof value === "number" && typeof limit === "number" && value < limit) ||
  (typeof value === "string" && typeof limit === "string" && value < limit)

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

const holds = ({ operator, path, value: wanted }: Rule, answers: Answers): boolean => {
  const value = valueAt(answers, path)
  switch (operator) {
    case "eq":
      return value === wanted
    case "ne":
      return isGiven(value) && value !== wanted
    case "in":
      return list(wanted).includes(value)
    case "nin":
      return isGiven(value) && !list(wanted).includes(value)
    case "lt":
      return isBelow(value, wanted)
    case "gt":
      return isBelow(wanted, value)
    case "exists":
      return isGiven(value) === (wanted !== false)
    case "ageLt": {
      const age = typeof value === "string" ? ageOn(value, new Date()) : undefined
      return age !== undefined && typeof wanted === "number" && age < wanted
    }
  }
}

/** The rules that have been reached and hold. */
const reached = (rules: ReadonlyArray<Rule>, answers: Answers): ReadonlyArray<Rule> =>
  rules.filter((rule) => Object.hasOwn(answers, rule.after) && holds(rule, answers))

/** The steps that the answers so far make needless. */
export const skipped = (rules: ReadonlyArray<Rule>, answers: Answers): ReadonlySet<string> =>
  new Set(reached(rules, answers).flatMap(({ skip }) => skip))

/** The code that the session fails with because of the answers so far, if it does. */
export const failure = (rules: ReadonlyArray<Rule>, answers: Answers): string | undefined =>
  reached(rules, answers).find(({ fail }) => fail !== undefined)?.fail
