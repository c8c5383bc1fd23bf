/** Writes of a session's browser that wait, and how two of them become one. */
import type { JsonObject } from "../../shared/schemas.ts"
import { isFinished, type SessionKey, type Status } from "./model.ts"
import { maxProgressBytes, type Sealed } from "./sealing-model.ts"
import type { StepResults } from "./step-results-model.ts"

export interface ProgressWrite {
  readonly kind: "progress"
  readonly key: SessionKey
  /** Sealed, so each value is a text. */
  readonly progress: JsonObject
  readonly results: StepResults
  readonly status: Status | null
  /** The characters of names and values, also of those that a later write has replaced. */
  readonly size: number
  /** The characters of the values that a later write has replaced. */
  readonly replaced: number
}

/** What the result says. Empty if it says nothing of any step. */
export interface Sent {
  /** Of the rules that it breaks. */
  readonly codes?: ReadonlyArray<string>
  /** By step and field, the hashes of its values. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** By step, the stored key hashes that this document or person may have, in hexadecimal. */
  readonly compared?: Readonly<Record<string, ReadonlyArray<string>>>
}

export interface Finish {
  readonly kind: "finish"
  readonly key: SessionKey
  readonly status: Status
  readonly result: Sealed
  readonly sent: Sent
  /** The HMAC of what the page keeps in the browser, in hexadecimal; null for none. */
  readonly mark: string | null
}

export const sizeOf = (progress: JsonObject): number =>
  Object.entries(progress).reduce((sum, [name, value]) => sum + name.length + String(value).length, 0)

/** More would hardly be stored as one write. */
const mostMerged = maxProgressBytes

/** Merges two writes that wait, unless one of them ends the session or they set different statuses. */
export const merge = (
  first: ProgressWrite | Finish,
  second: ProgressWrite | Finish
): ProgressWrite | undefined => {
  if (first.kind === "finish" || second.kind === "finish" || first.status !== second.status) return undefined
  if (isFinished(first.status ?? "created") || first.size + second.size > mostMerged) return undefined
  const twice = Object.keys(second.progress).filter((name) => Object.hasOwn(first.progress, name))
  return {
    ...second,
    progress: { ...first.progress, ...second.progress },
    results: { ...first.results, ...second.results },
    size: first.size + second.size,
    replaced:
      first.replaced +
      second.replaced +
      twice.reduce((sum, name) => sum + String(first.progress[name]).length, 0)
  }
}
