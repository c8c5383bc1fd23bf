/**
 * The captcha, solved while the first step is read. Asking for a challenge and solving it changes nothing on the server; the
 * solution is handed in only once the reader has done something.
 */
import type { SessionApi } from "../api.ts"
import { told } from "../screens/surroundings.ts"

/** Milliseconds before the server's challenge is too old to be handed in. */
const lifeMillis = 240_000

interface Solved {
  readonly challenge: unknown
  readonly solution: unknown
  readonly at: number
}

interface ScriptPolicy {
  readonly createScriptURL: (address: string) => string
}

/** Trusted Types, which the page's policy asks for and the DOM types do not have yet. */
declare const trustedTypes:
  | { readonly createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy }
  | undefined

/** The page's own scripts and no others may become workers. */
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

/** Once the page stands: the work would hold up its first picture on a slow phone. Safari has no idle callbacks. */
const whenIdle = (start: () => void): void => {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(start, { timeout: 2000 })
  else setTimeout(start, 300)
}

const solve = async (api: SessionApi, siteKey: string): Promise<Solved | undefined> => {
  const challenge = await api.challenge(siteKey)
  if (!challenge.ok) return undefined
  const solution = await work(challenge.value).catch(() => null)
  return solution === null ? undefined : { challenge: challenge.value, solution, at: Date.now() }
}

export interface Captcha {
  /** Begins to solve a challenge. */
  readonly prepare: () => void
  /** Whether the server has taken this session's captcha; asks it, once, with what has been solved. */
  readonly verified: () => Promise<boolean>
}

/** @param onVerdict told what the server says, each time that it is asked */
export const captcha = (
  api: SessionApi,
  siteKey: string,
  onVerdict: (verified: boolean) => void
): Captcha => {
  let solving: Promise<Solved | undefined> | undefined
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
    prepare: () => whenIdle(() => void solved()),
    verified: async () => {
      verifying ??= handIn()
      const asked = verifying
      const success = await asked
      // The next to ask starts over, with another challenge; of several that wait for this one, only the first says so.
      if (!success && verifying === asked) {
        verifying = undefined
        solving = undefined
      }
      return success
    }
  }
}
