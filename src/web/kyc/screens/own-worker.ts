/** Workers from the page's own scripts. */
import { told } from "./surroundings.ts"

interface ScriptPolicy {
  readonly createScriptURL: (address: string) => string
}

/** Trusted Types, which the DOM types do not include yet. */
declare const trustedTypes:
  | { readonly createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy }
  | undefined

const names = ["worker", "hints", "zones", "barcodes"] as const

/** Only the page's own scripts may become workers. */
const policy: ScriptPolicy = (typeof trustedTypes === "undefined" ? undefined : trustedTypes)?.createPolicy(
  "doorlock",
  {
    createScriptURL: (address) => (names.some((name) => told(name) === address) ? address : "")
  }
) ?? { createScriptURL: (address) => address }

/** Undefined if the browser has no workers, or the server has not named such a script: a preview has none. */
export const ownWorker = (name: (typeof names)[number]): Worker | undefined => {
  const address = told(name)
  if (address === undefined || typeof Worker === "undefined") return undefined
  return new Worker(policy.createScriptURL(address))
}
