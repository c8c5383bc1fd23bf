import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { useBusy } from "../../ui/busy.ts"
import { Alert } from "../../ui/parts.tsx"
import { type ApiFailure, failureOf } from "./call.ts"

/** Runs an action. `run` does not reject: show `failure`, its last one, or render `problem`, the message of that. */
export const useAction = () => {
  const { busy, run: runBusy } = useBusy()
  const [failure, setFailure] = useState<ApiFailure>()
  const run = async (act: () => Promise<unknown>) => {
    setFailure(undefined)
    try {
      await runBusy(act)
    } catch (cause) {
      setFailure(failureOf(cause))
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

/**
 * Runs actions on a list, which is then loaded again, also after a failure: somebody else may have done the same. `busy` until it is
 * loaded. If that removes what had the focus, the section of `boxRef` takes it.
 */
export const useListAction = (list: { readonly reload: () => Promise<void> }) => {
  const { busy, problem, run } = useAction()
  const boxRef = useRef<HTMLElement>(null)
  const acted = useRef(false)
  useLayoutEffect(() => {
    if (!busy && acted.current && document.activeElement === document.body) boxRef.current?.focus()
  }, [busy])
  return {
    boxRef,
    busy,
    problem,
    run: (act: () => Promise<unknown>) => {
      acted.current = true
      return run(() => act().finally(list.reload))
    }
  }
}
