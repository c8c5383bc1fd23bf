/** Reads a workflow's rules and applies them to the answers so far. */
import { applying } from "../../../kyc/instances/rules-model.ts"
import { isObject, type Json, list, number, object, objects, text, texts } from "../../json.ts"

export type Rules = NonNullable<Parameters<typeof applying>[0]["rules"]>
type Rule = Rules[number]
type Condition = Rule["if"]
type Scalar = string | number | boolean

const isScalar = (value: unknown): value is Scalar =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** A known comparison, with a value of the right type; a partner's text is never executed. */
const readCondition = ({ op, path: given, value }: Json): Condition | undefined => {
  const path = text(given)
  if (path === undefined) return undefined
  switch (op) {
    case "eq":
    case "ne":
      return isScalar(value) ? { path, op, value } : undefined
    case "in":
    case "nin":
      return { path, op, value: list(value).filter(isScalar) }
    case "lt":
    case "gt":
      return typeof value === "string" || typeof value === "number" ? { path, op, value } : undefined
    case "exists":
      return { path, op, value: value !== false }
    case "ageLt": {
      const years = number(value)
      return years === undefined ? undefined : { path, op, value: years }
    }
    default:
      return undefined
  }
}

/** Drops a rule without a step, a path or a known comparison. */
export const readRules = (value: unknown): Rules =>
  objects(value).flatMap((rule) => {
    const after = text(rule.after)
    const condition = readCondition(object(rule.if))
    if (after === undefined || condition === undefined) return []
    const { fail, skip } = object(rule.then)
    // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
    return [{ after, if: condition, then: { fail: text(fail) ?? null, skip: texts(skip) } }]
  })

/** By step id. */
export type Answers = Readonly<Record<string, Json>>

export const readAnswers = (value: unknown): Answers =>
  Object.fromEntries(
    Object.entries(object(value)).flatMap(([stepId, answer]) => (isObject(answer) ? [[stepId, answer]] : []))
  )

const reached = (rules: Rules, answers: Answers): Rules =>
  applying({ rules }, (stepId) => (Object.hasOwn(answers, stepId) ? answers[stepId] : undefined), new Date())

export const skipped = (rules: Rules, answers: Answers): ReadonlySet<string> =>
  new Set(reached(rules, answers).flatMap(({ then: { skip = [] } }) => skip))

/** The code with which the answers make the session fail, if any. */
export const failure = (rules: Rules, answers: Answers): string | undefined =>
  reached(rules, answers).flatMap(({ then: { fail } }) => fail ?? [])[0]
