/** Whom a result says that the session is about, as the page looks for them in other sessions. */
import { type JsonObject, objectOf } from "../../shared/json.ts"
import { type Identity, personFields } from "../dedup/identity-model.ts"
import type { PartsOfResult } from "./answers-model.ts"

/** How the page looks for earlier sessions, unless a step has its own way. */
export interface DedupRules {
  /** Undefined: it does not. */
  readonly strategy: "document" | "person" | undefined
  /** Goes into each key hash. */
  readonly scope: string
  /** Whether a match ends the session. */
  readonly endsSession: boolean
}

/** As the page reads them of a config. */
export const dedupRules = (config: JsonObject, companyId: string): DedupRules => {
  const dedup = objectOf(config.dedup)
  const strategy = dedup.strategy === "person" ? "person" : "document"
  return {
    strategy: dedup.enabled === false ? undefined : strategy,
    scope: typeof dedup.scope === "string" ? dedup.scope : companyId,
    endsSession: dedup.onMatch === "block"
  }
}

const textsIn = <Name extends string>(value: JsonObject, names: ReadonlyArray<Name>) => {
  const texts = names.map((name) => [name, value[name]] as const)
  return texts.every(([, text]) => typeof text === "string" && text !== "")
    ? (Object.fromEntries(texts) as Record<Name, string>)
    : undefined
}

/** By step: the documents and persons in a result. */
export const identitiesIn = (parts: PartsOfResult): ReadonlyArray<readonly [string, Identity]> =>
  parts.flatMap(([step, sent]): ReadonlyArray<readonly [string, Identity]> => {
    const document = step.type === "document" ? textsIn(sent, ["country", "number", "type"]) : undefined
    const person = step.type === "form" ? textsIn(sent, personFields) : undefined
    return [
      ...(document === undefined ? [] : [[step.id, { kind: "document", ...document }] as const]),
      ...(person === undefined ? [] : [[step.id, { kind: "person", ...person }] as const])
    ]
  })
