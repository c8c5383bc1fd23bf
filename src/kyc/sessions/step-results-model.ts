/** What is stored of the answer to a step, and what a result says of it. */
import { hmacSha256 } from "../../secrets/digest.ts"
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { norm } from "../dedup/identity-model.ts"
import { applying, holds } from "../instances/rules-model.ts"
import type { Step, Workflow } from "../instances/workflow-model.ts"
import type { PartsOfResult } from "./answers-model.ts"
import { type Circumstances, type Judgement, judge, textIn, trimmed } from "./judgement-model.ts"

/**
 * Stored without being sealed until the session ends or is redacted: no answer, but what follows from it. What is empty is left out.
 */
interface StepResult extends Pick<Judgement, "codes" | "done" | "files"> {
  /** The time of the last answer counts, and not that of the first. */
  readonly latest?: true
  /** The files have to be pictures. */
  readonly pictures?: true
  /** Of the document's number, only the end is stored: the result has to have all of it. */
  readonly numberEnd?: true
  /** The page ends the session if this document or person is in an earlier one. */
  readonly compared?: true
  /** The places of the workflow's rules whose condition the answer meets. */
  readonly holds?: ReadonlyArray<number>
  /** A keyed hash of each value that the result repeats, by field. */
  readonly fields?: Readonly<Record<string, string>>
}

/** By the ids of steps; null for what is no answer. */
export type StepResults = Readonly<Record<string, StepResult | null>>

const resultOf = ({ rules }: Workflow, step: Step, answer: JsonObject, given: Circumstances): StepResult => {
  const {
    codes = [],
    done,
    files = [],
    isLookedFor = false,
    numberEnd = false,
    pictures = false,
    repeated = []
  } = judge(step, answer, given)
  const met = (rules ?? []).flatMap((rule, place) =>
    rule.if.path.startsWith(`${step.id}.`) &&
    holds(rule.if, (id) => (id === step.id ? trimmed(answer) : undefined), given.now)
      ? [place]
      : []
  )
  const fields = repeated.flatMap((field) => {
    const text = textIn(answer, field)
    return text === "" ? [] : [[field, given.hash(`${step.id}.${field}=${text}`)] as const]
  })
  return {
    done,
    ...(step.type === "consent" ? { latest: true } : {}),
    ...(codes.length > 0 ? { codes: [...new Set(codes)] } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(files.length > 0 && pictures ? { pictures: true } : {}),
    ...(numberEnd ? { numberEnd: true } : {}),
    ...(isLookedFor && given.dedup.endsSession ? { compared: true } : {}),
    ...(met.length > 0 ? { holds: met } : {}),
    ...(fields.length > 0 ? { fields: Object.fromEntries(fields) } : {})
  }
}

/** Half of an HMAC is enough to compare two values, and says less. */
export const fieldHash =
  (key: Uint8Array) =>
  (text: string): string =>
    hmacSha256(key, text).toHex().slice(0, 32)

/**
 * Of the answers in `progress`; nothing of what answers no step of the workflow.
 *
 * @param workflow with all steps
 */
export const stepResults = (workflow: Workflow, progress: JsonObject, given: Circumstances): StepResults => {
  const results: Record<string, StepResult | null> = {}
  for (const step of workflow.steps ?? []) {
    const name = `s_${step.id}`
    if (!Object.hasOwn(progress, name)) continue
    const { [name]: answer } = progress
    results[step.id] = isJsonObject(answer) ? resultOf(workflow, step, answer, given) : null
  }
  return results
}

/** What the values in a result break, and a hash of each, as `stepResults` has them: a partner may read the result. */
export const sentResults = (workflow: Workflow, parts: PartsOfResult, given: Circumstances) => {
  const sent = parts.map(([{ id, type }, part]) => {
    const number = textIn(part, "number")
    const end = type === "document" && number !== "" ? { last3: norm(number).slice(-3) } : {}
    return [id, { ...part, ...end }] as const
  })
  const answers = Object.fromEntries(sent.map(([id, part]) => [`s_${id}`, part]))
  // A result does not say which steps have no answer.
  const rules = (workflow.rules ?? []).filter(({ if: { op, value } }) => op !== "exists" || value !== false)
  const spaceless = new Map(sent.map(([id, part]) => [id, trimmed(part)]))
  const results = Object.entries(stepResults(workflow, answers, given))
  return {
    codes: [
      ...applying({ ...workflow, rules }, (id) => spaceless.get(id), given.now).flatMap(
        ({ then: { fail } }) => fail ?? []
      ),
      ...results.flatMap(([, found]) => found?.codes ?? [])
    ],
    fields: Object.fromEntries(results.map(([id, found]) => [id, found?.fields ?? {}]))
  }
}
