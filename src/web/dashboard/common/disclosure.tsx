import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"

interface DisclosureProps {
  readonly summary: ComponentChildren
  readonly class?: string
  readonly open?: boolean
  readonly onToggle?: (open: boolean) => void
  /** Rendered only once it is open. */
  readonly children: () => JSX.Element
}

export const Disclosure = ({
  children,
  class: look = "",
  onToggle,
  open: initially = false,
  summary
}: DisclosureProps) => {
  const [open, setOpen] = useState(initially)
  return (
    <details
      class={look}
      open={open}
      onToggle={(event) => {
        const now = event.currentTarget.open
        if (now === open) return
        setOpen(now)
        onToggle?.(now)
      }}
    >
      <summary>{summary}</summary>
      {open ? children() : null}
    </details>
  )
}
