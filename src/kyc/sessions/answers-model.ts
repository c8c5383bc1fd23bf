/** The answers of a session: the one place that says which steps it has, and what `progress` and `result` say of each. */
import { Option } from "effect"
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { withSteps } from "../instances/default-workflow-model.ts"
import {
  isKnown,
  type KnownStep,
  readWorkflow,
  type Step,
  type Workflow
} from "../instances/workflow-model.ts"

/** The workflow of the page for this stored one; none if it has another version of the format. */
export const workflowOf = (stored: JsonObject): Option.Option<Workflow> =>
  Option.map(readWorkflow(stored), withSteps)

const knownSteps = (stored: JsonObject): ReadonlyArray<KnownStep> =>
  Option.match(workflowOf(stored), { onNone: () => [], onSome: ({ steps = [] }) => steps.filter(isKnown) })

export const objectIn = (value: unknown, key: string): JsonObject => {
  const found = isJsonObject(value) ? value[key] : undefined
  return isJsonObject(found) ? found : {}
}

export interface Answered<Step extends KnownStep = KnownStep> {
  readonly step: Step
  /** In `progress`. */
  readonly answer: JsonObject
  /** In `result`, which the hosted page sends at the end. */
  readonly submitted: JsonObject
  /** Answered in an earlier session, whose reviewer did not ask for this step again: only `progress` has its answer. */
  readonly isCarried: boolean
}

interface Session {
  /** Of a successor: the workflow with all steps. */
  readonly first_workflow: JsonObject | null
  readonly instance_workflow: JsonObject
  readonly progress: JsonObject | null
  readonly result: unknown
}

/** The parts of a result with this name: several if it has a list. */
const partsIn = (value: unknown, key: string): ReadonlyArray<JsonObject> => {
  const found = isJsonObject(value) ? value[key] : undefined
  return Array.isArray(found) ? found.filter(isJsonObject) : [objectIn(value, key)]
}

/** What several places of a result say of one step. Values that differ are a list, which is no answer to anything. */
const joined = (parts: ReadonlyArray<JsonObject>): JsonObject => {
  const [only = {}, ...more] = parts.filter((part) => Object.keys(part).length > 0)
  if (more.length === 0) return only
  const all = Map.groupBy(parts.flatMap(Object.entries<unknown>), ([name]) => name)
  return Object.fromEntries(
    [...all].map(([name, [first, ...others]]) => {
      const values = [first, ...others].map((entry) => entry?.[1])
      return [name, values.every((value) => Bun.deepEquals(value, first?.[1])) ? first?.[1] : values]
    })
  )
}

/**
 * What the result says of a step. The hosted page (`web/kyc/sessions/result`) has the form `person` and the first document at places of their
 * own, and all others by their steps; another browser may use both.
 */
const resultOfStep = (
  result: unknown,
  { id, type }: Pick<Step, "id" | "type">,
  isFirstDocument: boolean
): JsonObject => {
  if (type === "form")
    return joined([
      ...(id === "person" ? partsIn(result, id) : []),
      ...partsIn(objectIn(result, "forms"), id)
    ])
  if (type !== "document") return {}
  return joined([
    ...(isFirstDocument ? partsIn(result, "document") : []),
    ...partsIn(objectIn(result, "documents"), id)
  ])
}

/** The steps of which a result says something, with what it says. */
export type PartsOfResult = ReadonlyArray<readonly [Step, JsonObject]>

export const partsOfResult = ({ steps = [] }: Workflow, result: unknown): PartsOfResult => {
  const first = steps.find(({ type }) => type === "document")
  return steps
    .map((step) => [step, resultOfStep(result, step, step === first)] as const)
    .filter(([, part]) => Object.keys(part).length > 0)
}

/** All steps of a session in order, with those that were carried over from an earlier one. Empty if its workflow cannot be read. */
export const answersOf = ({
  first_workflow,
  instance_workflow,
  progress,
  result
}: Session): ReadonlyArray<Answered> => {
  const asked = knownSteps(instance_workflow)
  const all = first_workflow === null ? asked : knownSteps(first_workflow)
  const own = new Set(asked.map(({ id }) => id))
  const [first] = [...asked, ...all].filter(({ type }) => type === "document")
  return all.map((step) => ({
    step,
    answer: objectIn(progress, `s_${step.id}`),
    submitted: resultOfStep(result, step, step.id === first?.id),
    isCarried: !own.has(step.id)
  }))
}

/** Where the answers of a session come from: itself, and the sessions before it that asked for the same steps. */
export interface Origins {
  /** The workflow with all steps. */
  readonly workflow: JsonObject
  /** When the server received the answer to each step, by the step's id. Of steps that it does not know, there is none. */
  readonly answeredAt: ReadonlyMap<string, Date>
}
