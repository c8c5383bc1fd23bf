/** Solves the captcha while the end user reads; submits the solution only after the end user has acted. */
import { after, kycTimes } from "../../timing.ts"
import type { SessionApi } from "../api.ts"
import { ownWorker } from "../screens/own-worker.ts"

/** An older challenge cannot be submitted. */
const lifeMillis = 240_000

const work = (challenge: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const worker = ownWorker("worker")
    if (worker === undefined) return reject(new Error("The page names no worker"))
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

/** Safari has no idle callbacks. */
const whenIdle = (start: () => void): void => {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(start, { timeout: kycTimes.captchaIdle })
  else after(kycTimes.captcha, start)
}

const solve = async (api: SessionApi, siteKey: string) => {
  const challenge = await api.challenge(siteKey)
  if (!challenge.ok) return undefined
  const solution = await work(challenge.value).catch(() => null)
  return solution === null ? undefined : { challenge: challenge.value, solution, at: Date.now() }
}

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
    prepare: () => whenIdle(() => void solved()),
    /** Whether the server has accepted the solution, which is submitted once. */
    verified: async (): Promise<boolean> => {
      verifying ??= handIn()
      const asked = verifying
      const success = await asked
      // The next call starts over with a new challenge. Of several waiting calls, only the first resets it.
      if (!success && verifying === asked) {
        verifying = undefined
        solving = undefined
      }
      return success
    }
  }
}
