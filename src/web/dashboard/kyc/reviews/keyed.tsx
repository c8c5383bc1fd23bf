import type { ComponentChildren } from "preact"
import { useShortcutsAreOn } from "../../common/shortcuts.ts"

/** A key on a button or beside a choice, for people who see the page; it is hidden while shortcuts are turned off. */
export const Key = ({ letter }: { readonly letter: string }) =>
  useShortcutsAreOn() ? (
    <span class="key" aria-hidden="true">
      <kbd>{letter}</kbd>
    </span>
  ) : null

interface KeyedProps {
  /** The key that does the same; undefined if there is none. */
  readonly letter: string | undefined
  readonly look?: "primary" | "secondary" | "quiet" | "approve" | "decline"
  readonly busy?: boolean
  /** What the button decides. */
  readonly decision?: string
  readonly pressed?: boolean
  readonly onClick: () => void
  readonly children: ComponentChildren
}

/** A button that shows its key. The page binds the key. */
export const Keyed = ({
  busy = false,
  children,
  decision,
  letter,
  look = "secondary",
  onClick,
  pressed
}: KeyedProps) => (
  <button
    type="button"
    class={`button ${look}`}
    aria-disabled={busy}
    aria-expanded={pressed}
    data-decision={decision}
    aria-keyshortcuts={letter}
    onClick={() => {
      if (!busy) onClick()
    }}
  >
    {children}
    {letter === undefined ? null : <Key letter={letter} />}
  </button>
)
