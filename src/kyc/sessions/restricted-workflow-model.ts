/** A workflow with only some of its steps, for a session that asks for them again. */
import { Option } from "effect"
import type { JsonObject } from "../../shared/json.ts"
import { asksForData } from "../instances/rules-model.ts"
import type { Step } from "../instances/workflow-model.ts"
import { workflowOf } from "./answers-model.ts"
import type { StepResults } from "./step-results-model.ts"

/** The steps that ask the end user for something, in order. */
export const stepsToAsk = (stored: JsonObject): ReadonlyArray<Step> =>
  Option.match(workflowOf(stored), {
    onNone: () => [],
    onSome: ({ steps = [] }) => steps.filter(asksForData)
  })

export interface Restricted {
  readonly workflow: JsonObject
  /** The ids of its steps, in the order of the workflow. */
  readonly steps: ReadonlyArray<string>
}

/** None if `ids` are empty or one of them is no step that asks for something. Keeps the rules that follow a remaining step. */
export const restrictedWorkflow = (
  stored: JsonObject,
  ids: ReadonlyArray<string>
): Option.Option<Restricted> =>
  Option.flatMap(workflowOf(stored), (workflow) => {
    const wanted = new Set(ids)
    const steps = (workflow.steps ?? []).filter((step) => asksForData(step) && wanted.has(step.id))
    if (steps.length === 0 || steps.length < wanted.size) return Option.none()
    const rules = (workflow.rules ?? []).flatMap((rule) => {
      const { fail, skip = [] } = rule.then
      const left = skip.filter((id) => wanted.has(id))
      if (!wanted.has(rule.after) || (left.length === 0 && typeof fail !== "string")) return []
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the format; nothing awaits it.
      return [{ ...rule, then: { ...rule.then, ...(skip.length > 0 ? { skip: left } : {}) } }]
    })
    return Option.some({ workflow: { ...workflow, steps, rules }, steps: steps.map(({ id }) => id) })
  })

/**
 * The progress of a session that asks for `steps` again: all other answers. The page's place in the workflow is not carried over,
 * nor is unfinished input (`d_<id>`).
 */
export const carriedProgress = (progress: JsonObject, steps: ReadonlyArray<string>): JsonObject => {
  const left = new Set(["current", "rev", ...steps.map((id) => `s_${id}`)])
  return Object.fromEntries(
    Object.entries(progress).filter(([key]) => !left.has(key) && !key.startsWith("d_"))
  )
}

/**
 * What the carried answers amount to: the session before was judged by their files, and compared by them.
 *
 * @param results of the carried answers
 * @param missing the steps that lacked a whole answer in the session before
 * @param fileIds the files of the sessions before
 */
export const carriedResults = (
  results: StepResults,
  missing: ReadonlyArray<string>,
  fileIds: ReadonlyArray<string>
): StepResults =>
  Object.fromEntries(
    Object.entries(results).flatMap(([id, result]) => {
      if (result === null) return []
      const { compared: _, done, files = [], numberEnd: __, pictures: ___, ...others } = result
      const isThere = files.every((file) => fileIds.includes(file))
      return [[id, { ...others, done: done && isThere && !missing.includes(id) }]]
    })
  )
