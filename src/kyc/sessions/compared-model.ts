/** Whom a result says that the session is about, as the page looks for them in other sessions. */
import { Option } from "effect"
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { type Identity, personFields } from "../dedup/identity-model.ts"
import type { Workflow } from "../instances/workflow-model.ts"
import { resultOfStep } from "./answers-model.ts"

interface Comparing {
  /** Goes into each key hash (`config.dedup.scope`). */
  readonly scope: string
}

/** Undefined unless the config ends sessions that match an earlier one. */
export const comparing = ({ dedup }: JsonObject, companyId: string): Comparing | undefined =>
  isJsonObject(dedup) && dedup.onMatch === "block"
    ? { scope: typeof dedup.scope === "string" ? dedup.scope : companyId }
    : undefined

const textsIn = <Name extends string>(value: JsonObject, names: ReadonlyArray<Name>) => {
  const texts = names.map((name) => [name, value[name]] as const)
  return texts.every(([, text]) => typeof text === "string" && text !== "")
    ? (Object.fromEntries(texts) as Record<Name, string>)
    : undefined
}

/** By step: the documents and persons in a result. */
export const identitiesIn = (
  workflow: Option.Option<Workflow>,
  result: unknown
): ReadonlyArray<readonly [string, Identity]> =>
  Option.match(workflow, {
    onNone: () => [],
    onSome: ({ steps = [] }) => {
      const first = steps.find(({ type }) => type === "document")
      return steps.flatMap((step): ReadonlyArray<readonly [string, Identity]> => {
        const sent = resultOfStep(result, step, step === first)
        const document = step.type === "document" ? textsIn(sent, ["country", "number", "type"]) : undefined
        const person = step.type === "form" ? textsIn(sent, personFields) : undefined
        return [
          ...(document === undefined ? [] : [[step.id, { kind: "document", ...document }] as const]),
          ...(person === undefined ? [] : [[step.id, { kind: "person", ...person }] as const])
        ]
      })
    }
  })
