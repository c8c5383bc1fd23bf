import { useState } from "preact/hooks"
import { Alert } from "../../ui/parts.tsx"
import { failureOf } from "./call.ts"

/** Runs an action. `run` does not reject: render `problem`, the message of its last failure. */
export const useAction = () => {
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
