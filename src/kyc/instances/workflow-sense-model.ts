/** The rules for a workflow beyond its shape: unique names, and references that exist. */
import { problemIn } from "./problem-model.ts"
import type { Problem } from "./shape-model.ts"
import { type PlacedText, untranslated } from "./text-model.ts"
import { isKnown, type Step, Workflow } from "./workflow-model.ts"

type Path = Problem["path"]

/** The values under `key` that repeat an earlier one in the list at `path`. */
const repeated = <Key extends string>(
  path: Path,
  key: Key,
  list: ReadonlyArray<Readonly<Record<Key, string>>> = []
): ReadonlyArray<Problem> => {
  const names = list.map((item) => item[key])
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ path: [...path, index, key], rule: "must be unique" }] : []
  )
}

const repeatedIn = (step: Step, path: Path): ReadonlyArray<Problem> => {
  if (!isKnown(step)) return []
  if (step.type === "consent") return repeated([...path, "items"], "id", step.items)
  if (step.type !== "form") return []
  const { fields = [] } = step
  const at = [...path, "fields"]
  return [
    ...repeated(at, "id", fields),
    ...fields.flatMap((field, index) =>
      field.type === "select" ? repeated([...at, index, "options"], "value", field.options) : []
    )
  ]
}

const textsOf = (step: Step, path: Path): ReadonlyArray<PlacedText> => {
  const placed: Array<PlacedText> = [
    [[...path, "title"], step.title],
    [[...path, "text"], step.text]
  ]
  if (!isKnown(step)) return placed
  if (step.type === "consent") {
    step.items?.forEach(({ text }, index) => {
      placed.push([[...path, "items", index, "text"], text])
    })
  }
  if (step.type === "form") {
    step.fields?.forEach((field, index) => {
      const at = [...path, "fields", index]
      placed.push([[...at, "label"], field.label], [[...at, "help"], field.help])
      if (field.type !== "select") return
      field.options.forEach(({ label }, option) => {
        placed.push([[...at, "options", option, "label"], label])
      })
    })
  }
  return placed
}

/** The answers that a step can give; undefined if its type leaves them open. */
const answersOf = (step: Step): ReadonlyArray<string> | undefined => {
  if (!isKnown(step)) return undefined
  if (step.type === "form") return (step.fields ?? []).map(({ id }) => id)
  return step.type === "document" ? ["type", "country", "number", "expiry"] : undefined
}

const leadNowhere = ({ rules = [], steps = [] }: Workflow): ReadonlyArray<Problem> => {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const noStep = "must be the id of a step"
  return rules.flatMap(({ after, if: { path }, then: { skip = [] } }, index) => {
    const at = ["rules", index]
    const [stepId = "", field = ""] = path.split(".")
    const step = byId.get(stepId)
    const reached = step !== undefined && (answersOf(step)?.includes(field) ?? true)
    return [
      ...(byId.has(after) ? [] : [{ path: [...at, "after"], rule: noStep }]),
      ...(reached ? [] : [{ path: [...at, "if", "path"], rule: "must lead to a step and a field of it" }]),
      ...skip.flatMap((id, place) =>
        byId.has(id) ? [] : [{ path: [...at, "then", "skip", place], rule: noStep }]
      )
    ]
  })
}

export const workflowProblem = problemIn("workflow", Workflow, (workflow) => {
  const steps = workflow.steps ?? []
  return [
    ...repeated(["steps"], "id", steps),
    ...steps.flatMap((step, index) => repeatedIn(step, ["steps", index])),
    ...untranslated(steps.flatMap((step, index) => textsOf(step, ["steps", index]))),
    ...leadNowhere(workflow)
  ]
})
