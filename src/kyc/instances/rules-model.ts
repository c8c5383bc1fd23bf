/** A workflow's rules, for the server and the page. Imports only types, because the page loads it. */
import type { Condition, Rule, Step, Workflow } from "./workflow-model.ts"

/** A step's answers from the progress, or undefined until the step is done. */
export type AnswersOf = (stepId: string) => unknown

const answerAt = (path: string, answersOf: AnswersOf): unknown => {
  const [stepId = "", ...keys] = path.split(".")
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    answersOf(stepId)
  )
}

/** Whole calendar years in UTC from a day `YYYY-MM-DD` to an instant; undefined for an invalid day. */
export const yearsSince = (day: unknown, now: Date): number | undefined => {
  // JavaScript takes February 31 for March 3.
  if (typeof day !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const time = new Date(day)
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== day) return undefined
  const years = now.getUTCFullYear() - Number(day.slice(0, 4))
  return now.toISOString().slice(5, 10) < day.slice(5) ? years - 1 : years
}

/** Only numbers, and only strings, are less or greater than each other. */
const isComparable = (one: unknown, other: string | number): one is string | number =>
  typeof one === typeof other

/** Whether the answers meet the condition. For a missing answer, only `exists: false` holds. */
export const holds = (condition: Condition, answersOf: AnswersOf, now: Date): boolean => {
  const answer = answerAt(condition.path, answersOf)
  const given = answer !== undefined && answer !== null && answer !== ""
  switch (condition.op) {
    case "exists":
      return given === (condition.value ?? true)
    case "eq":
      return given && answer === condition.value
    case "ne":
      return given && answer !== condition.value
    case "in":
      return given && condition.value.some((value) => value === answer)
    case "nin":
      return given && !condition.value.some((value) => value === answer)
    case "lt":
      return isComparable(answer, condition.value) && answer < condition.value
    case "gt":
      return isComparable(answer, condition.value) && answer > condition.value
    case "ageLt":
      return (yearsSince(answer, now) ?? Number.POSITIVE_INFINITY) < condition.value
  }
}

/** The rules that apply, in order: their step is done and their condition holds. */
export const applying = ({ rules = [] }: Workflow, answersOf: AnswersOf, now: Date): ReadonlyArray<Rule> =>
  rules.filter((rule) => answersOf(rule.after) !== undefined && holds(rule.if, answersOf, now))

/** The server verifies a captcha, and a review asks for no data. */
export const asksForData = ({ type }: Step): boolean => type !== "captcha" && type !== "review"
