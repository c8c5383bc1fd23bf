/** Questions over the page. */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { failureOf } from "./call.ts"

interface Children {
  readonly children?: ComponentChildren
}

interface DialogProps extends Children {
  readonly title: string
  /** Undefined where the page cannot go on without an answer: it stays open then. */
  readonly onClose?: () => void
  /** Whether the page is not to be seen meanwhile. */
  readonly covers?: boolean
}

/**
 * A question over the page; Escape closes it, and the focus goes back to where it came from, or to the heading where that is
 * gone: a button to revoke goes with what it revoked.
 */
export const Dialog = ({ children, covers = false, onClose, title }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const gone = useRef(false)
  const id = useId()
  // At once, not after the next painting: what has the focus by then may be something else.
  useLayoutEffect(() => {
    const opener = document.activeElement
    const { current } = dialog
    current?.showModal()
    return () => {
      gone.current = true
      // As long as it is open, nothing outside of it takes the focus.
      current?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
      else document.querySelector<HTMLElement>("main h1")?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={covers ? "covers" : ""}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      // Browsers let nobody be held: the second Escape in a row closes it whatever `onCancel` says.
      onClose={({ currentTarget }) => {
        if (gone.current) return
        if (onClose !== undefined) onClose()
        else if (currentTarget.isConnected) currentTarget.showModal()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps extends Children {
  readonly title: string
  /** What the button that does it says. */
  readonly act: string
  readonly danger?: boolean
  /** Rejects with an `ApiFailure` when it could not be done, which is then said. */
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before something is done that cannot be undone. While it is being done it stays, to say whether it was. */
export const Confirm = ({ act, children, danger = true, onClose, onConfirm, title }: ConfirmProps) => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const confirm = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (cause) {
      setBusy(false)
      setProblem(failureOf(cause).message)
    }
  }
  return (
    <Dialog title={title} {...(busy ? {} : { onClose })}>
      {children}
      {problem === undefined ? null : <Alert>{problem}</Alert>}
      <div class="row dialog-actions">
        <Button
          onClick={() => {
            if (!busy) onClose()
          }}
        >
          Cancel
        </Button>
        <Button look={danger ? "danger" : "primary"} busy={busy} onClick={() => void confirm()}>
          {act}
        </Button>
      </div>
    </Dialog>
  )
}
