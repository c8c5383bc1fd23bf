import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Alert } from "../../ui/parts.tsx"
import { failureOf } from "./call.ts"

interface Action {
  readonly busy: boolean
  /** Why the last run failed; null if it did not. */
  readonly problem: JSX.Element | null
  readonly run: (act: () => Promise<unknown>) => Promise<void>
}

/** Runs an action of the reader's. `run` does not reject: render `problem`. */
export const useAction = (): Action => {
  const [busy, setBusy] = useState(false)
  const [message, setMessage] = useState<string>()
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true)
    setMessage(undefined)
    try {
      await act()
    } catch (cause) {
      setMessage(failureOf(cause).message)
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem: message === undefined ? null : <Alert>{message}</Alert>, run }
}
