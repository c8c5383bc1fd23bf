/**
 * Solves the captcha while the end user reads the first step. Requesting and solving a challenge changes nothing on the
 * server; the page submits the solution only after the end user has acted.
 */
import type { SessionApi } from "../api.ts"
import { told } from "../screens/surroundings.ts"

/** After this many milliseconds, a challenge is too old to submit. */
const lifeMillis = 240_000

interface ScriptPolicy {
  readonly createScriptURL: (address: string) => string
}

/** Trusted Types, which the page's policy requires and the DOM types do not include yet. */
declare const trustedTypes:
  | { readonly createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy }
  | undefined

/** Only the page's own scripts may become workers. */
const policy: ScriptPolicy = (typeof trustedTypes === "undefined" ? undefined : trustedTypes)?.createPolicy(
  "doorlock",
  {
    createScriptURL: (address) => (address === told("worker") ? address : "")
  }
) ?? { createScriptURL: (address) => address }

const work = (challenge: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(policy.createScriptURL(told("worker") ?? ""))
    worker.onmessage = ({ data }: MessageEvent<unknown>) => {
      worker.terminate()
      resolve(data)
    }
    worker.onerror = () => {
      worker.terminate()
      reject(new Error("The captcha's worker failed"))
    }
    worker.postMessage(challenge)
  })

/** Starts after the page is shown: on a slow phone, the work would delay the first paint. Safari has no idle callbacks. */
const whenIdle = (start: () => void): void => {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(start, { timeout: 2000 })
  else setTimeout(start, 300)
}

const solve = async (api: SessionApi, siteKey: string) => {
  const challenge = await api.challenge(siteKey)
  if (!challenge.ok) return undefined
  const solution = await work(challenge.value).catch(() => null)
  return solution === null ? undefined : { challenge: challenge.value, solution, at: Date.now() }
}

/** @param onVerdict called with each verdict of the server */
export const captcha = (api: SessionApi, siteKey: string, onVerdict: (verified: boolean) => void) => {
  let solving: ReturnType<typeof solve> | undefined
  let verifying: Promise<boolean> | undefined

  const solved = () => {
    solving ??= solve(api, siteKey)
    return solving
  }

  const handIn = async (): Promise<boolean> => {
    let found = await solved()
    if (found === undefined || Date.now() - found.at > lifeMillis) {
      solving = undefined
      found = await solved()
    }
    if (found === undefined) return false
    const token = await api.redeem(found.challenge, found.solution)
    if (!token.ok) return false
    const verdict = await api.verify(token.value, siteKey)
    const verified = verdict.ok && verdict.value
    onVerdict(verified)
    return verified
  }

  return {
    /** Starts solving a challenge. */
    prepare: () => whenIdle(() => void solved()),
    /**
     * Whether the server has accepted this session's captcha; submits the solution once if it has not been submitted.
     */
    verified: async (): Promise<boolean> => {
      verifying ??= handIn()
      const asked = verifying
      const success = await asked
      // After a failure, the next call starts over with a new challenge. If several calls wait for this one, only the
      // first resets it.
      if (!success && verifying === asked) {
        verifying = undefined
        solving = undefined
      }
      return success
    }
  }
}
