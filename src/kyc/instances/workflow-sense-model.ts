/** The rules for a workflow beyond its shape: unique names, and references that exist. */
import { problemIn } from "./problem-model.ts"
import type { Problem } from "./shape-model.ts"
import { type PlacedText, untranslated } from "./text-model.ts"
import { type Field, isKnown, type Step, Workflow } from "./workflow-model.ts"

type Path = Problem["path"]

/** What `find` returns for the items of the list under `key`, given the path of each. */
const inEach = <Item, const Found>(
  path: Path,
  key: string,
  list: ReadonlyArray<Item> | undefined,
  find: (item: Item, path: Path) => ReadonlyArray<Found>
): ReadonlyArray<Found> => (list ?? []).flatMap((item, index) => find(item, [...path, key, index]))

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

const itemsOf = (step: Step) => (isKnown(step) && step.type === "consent" ? step.items : undefined)
const fieldsOf = (step: Step) => (isKnown(step) && step.type === "form" ? step.fields : undefined)
const optionsOf = (field: Field) => (field.type === "select" ? field.options : undefined)

const repeatedIn = (step: Step, path: Path): ReadonlyArray<Problem> => [
  ...repeated([...path, "items"], "id", itemsOf(step)),
  ...repeated([...path, "fields"], "id", fieldsOf(step)),
  ...inEach(path, "fields", fieldsOf(step), (field, at) =>
    repeated([...at, "options"], "value", optionsOf(field))
  )
]

const textsOf = (step: Step, path: Path): ReadonlyArray<PlacedText> => [
  [[...path, "title"], step.title],
  [[...path, "text"], step.text],
  ...inEach(path, "items", itemsOf(step), ({ text }, at) => [[[...at, "text"], text]]),
  ...inEach(path, "fields", fieldsOf(step), (field, at) => [
    [[...at, "label"], field.label],
    [[...at, "help"], field.help],
    ...inEach(at, "options", optionsOf(field), ({ label }, option) => [[[...option, "label"], label]])
  ])
]

/** The answers that a step can give; undefined if its type leaves them open. */
const answersOf = (step: Step): ReadonlyArray<string> | undefined => {
  if (!isKnown(step)) return undefined
  if (step.type === "form") return (step.fields ?? []).map(({ id }) => id)
  return step.type === "document" ? ["type", "country", "number", "expiry"] : undefined
}

const leadNowhere = ({ rules, steps = [] }: Workflow): ReadonlyArray<Problem> => {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const unlessStep = (id: string, path: Path) =>
    byId.has(id) ? [] : [{ path, rule: "must be the id of a step" }]
  return inEach([], "rules", rules, ({ after, if: { path }, then: { skip } }, at) => {
    const [stepId = "", field = ""] = path.split(".")
    const step = byId.get(stepId)
    const reached = step !== undefined && (answersOf(step)?.includes(field) ?? true)
    return [
      ...unlessStep(after, [...at, "after"]),
      ...(reached ? [] : [{ path: [...at, "if", "path"], rule: "must lead to a step and a field of it" }]),
      ...inEach([...at, "then"], "skip", skip, unlessStep)
    ]
  })
}

export const workflowProblem = problemIn("workflow", Workflow, (workflow) => [
  ...repeated(["steps"], "id", workflow.steps),
  ...inEach([], "steps", workflow.steps, repeatedIn),
  ...untranslated(inEach([], "steps", workflow.steps, textsOf)),
  ...leadNowhere(workflow)
])
