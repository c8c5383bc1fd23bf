import type { ComponentChildren, ComponentProps } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { useAction } from "./action.tsx"
import type { Children } from "./parts.tsx"

interface DialogProps extends Children {
  readonly title: string
  /** Without it, the user cannot close the dialog. */
  readonly onClose?: () => void
  /** `covers` hides the page behind the dialog; `palette` is the search, which a click beside it closes. */
  readonly look?: "covers" | "palette"
}

/** After a modal dialog, the focus returns to where it was, or to the heading if that element was removed. */
export const Dialog = ({ children, look, onClose, title }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const gone = useRef(false)
  const id = useId()
  // A layout effect, because after the next paint something else may have the focus.
  useLayoutEffect(() => {
    const opener = document.activeElement
    const { current } = dialog
    current?.showModal()
    return () => {
      gone.current = true
      // While the dialog is open, nothing outside of it can take the focus.
      current?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
      else document.querySelector<HTMLElement>("main h1")?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={look}
      closedby={look === "palette" ? "any" : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      // A second Escape in a row closes the dialog whatever `onCancel` does.
      onClose={({ currentTarget }) => {
        if (gone.current) return
        if (onClose !== undefined) onClose()
        else if (currentTarget.isConnected) currentTarget.showModal()
      }}
    >
      <h2 id={id} class={look === "palette" ? "visually-hidden" : ""}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps extends Children {
  readonly title: string
  /** The label of the button that confirms. */
  readonly act: string
  readonly danger?: boolean
  /** If it rejects, the dialog shows why. */
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before an action. The dialog stays open until the action has succeeded. */
export const Confirm = ({ act, children, danger = true, onClose, onConfirm, title }: ConfirmProps) => {
  const { busy, problem, run } = useAction()
  const confirm = async () => {
    await onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} {...(busy ? {} : { onClose })}>
      {children}
      {problem}
      <div class="row dialog-actions">
        <Button {...(busy ? {} : { onClick: onClose })}>Cancel</Button>
        <Button look={danger ? "danger" : "primary"} busy={busy} onClick={() => void run(confirm)}>
          {act}
        </Button>
      </div>
    </Dialog>
  )
}

interface ConfirmButtonProps extends Omit<ConfirmProps, "onClose"> {
  readonly label: ComponentChildren
  readonly look?: ComponentProps<typeof Button>["look"]
}

/** A button that asks before its action. */
export const ConfirmButton = ({ label, look = "secondary", ...question }: ConfirmButtonProps) => {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button look={look} onClick={() => setAsking(true)}>
        {label}
      </Button>
      {asking ? <Confirm {...question} onClose={() => setAsking(false)} /> : null}
    </>
  )
}
