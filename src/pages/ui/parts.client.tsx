/** Parts that the hosted page and the dashboard are both made of. */
import type { ComponentChildren, Ref } from "preact"

interface Children {
  readonly children?: ComponentChildren
}

interface ButtonProps extends Children {
  readonly look?: "primary" | "secondary" | "quiet" | "danger"
  readonly submits?: boolean
  readonly busy?: boolean
  readonly onClick?: () => void
}

/** A busy button stays where it is and keeps the focus; it only does nothing. */
export const Button = ({
  busy = false,
  children,
  look = "secondary",
  onClick,
  submits = false
}: ButtonProps) => (
  <button
    type={submits ? "submit" : "button"}
    class={`button ${look}`}
    aria-disabled={busy}
    onClick={(event) => {
      if (busy) event.preventDefault()
      else onClick?.()
    }}
  >
    {busy ? <span class="spinner" aria-hidden="true" /> : null}
    {children}
  </button>
)

interface AlertProps extends Children {
  readonly tone?: "problem" | "warning" | "info"
  readonly title?: string
  readonly boxRef?: Ref<HTMLDivElement>
}

/** Said at once to who does not see it. */
export const Alert = ({ boxRef = null, children, title, tone = "problem" }: AlertProps) => (
  <div class={`alert ${tone}`} role={tone === "info" ? "status" : "alert"} tabIndex={-1} ref={boxRef}>
    {title === undefined ? null : <p class="alert-title">{title}</p>}
    {children}
  </div>
)

/** The ids of what describes a control, for its `aria-describedby`. */
export const describedBy = (
  id: string,
  hint: string | undefined,
  error: string | undefined
): string | undefined =>
  [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`]
    .filter(Boolean)
    .join(" ") || undefined
