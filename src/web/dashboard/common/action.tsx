import { useState } from "preact/hooks"
import { Alert } from "../../ui/parts.tsx"
import { type ApiFailure, failureOf } from "./call.ts"

/** Runs an action. `run` does not reject: show `failure`, its last one, or render `problem`, the message of that. */
export const useAction = () => {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const run = async (act: () => Promise<unknown>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await act()
    } catch (cause) {
      setFailure(failureOf(cause))
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    failure,
    clear: () => setFailure(undefined),
    problem: failure === undefined ? null : <Alert>{failure.message}</Alert>,
    run
  }
}
