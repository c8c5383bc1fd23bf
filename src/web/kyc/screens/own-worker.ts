/** Workers from the page's own scripts. */
import { told } from "./surroundings.ts"

interface ScriptPolicy {
  readonly createScriptURL: (address: string) => string
}

/** Trusted Types, which the DOM types do not include yet. */
declare const trustedTypes:
  | { readonly createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy }
  | undefined

const names = ["worker", "hints", "zones"] as const

/** Only the page's own scripts may become workers. */
const policy: ScriptPolicy = (typeof trustedTypes === "undefined" ? undefined : trustedTypes)?.createPolicy(
  "doorlock",
  {
    createScriptURL: (address) => (names.some((name) => told(name) === address) ? address : "")
  }
) ?? { createScriptURL: (address) => address }

/** Undefined if the server has not named such a script: a preview has none. */
export const ownWorker = (name: (typeof names)[number]): Worker | undefined => {
  const address = told(name)
  return address === undefined ? undefined : new Worker(policy.createScriptURL(address))
}
