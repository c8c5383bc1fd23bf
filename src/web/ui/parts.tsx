/** The components that the hosted page and the dashboard share. */
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

/** A busy button stays in place and keeps the focus, but does nothing. */
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
  /** `good`: something was done, or is as it should be. */
  readonly tone?: "problem" | "warning" | "good" | "info"
  readonly title?: string
  readonly boxRef?: Ref<HTMLDivElement>
}

/** Screen readers announce this at once. */
export const Alert = ({ boxRef = null, children, title, tone = "problem" }: AlertProps) => (
  <div
    class={`alert ${tone}`}
    role={tone === "good" || tone === "info" ? "status" : "alert"}
    tabIndex={-1}
    ref={boxRef}
  >
    {title === undefined ? null : <p class="alert-title">{title}</p>}
    {children}
  </div>
)

/** The `aria-describedby` of a control in a `Field`. */
export const describedBy = (id: string, hint: string | undefined, error: string | undefined) =>
  [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`]
    .filter(Boolean)
    .join(" ") || undefined

interface FieldProps extends Children {
  readonly id: string
  readonly label: string
  /** The word that marks an optional field; undefined for a required one. */
  readonly optional?: string | undefined
  readonly hint?: string | undefined
  readonly error?: string | undefined
}

/** A partner may have written label and hint in another language than that of the page. */
export const Field = ({ children, error, hint, id, label, optional }: FieldProps) => (
  <div class={error === undefined ? "field" : "field wrong"}>
    <label for={id}>
      <bdi>{label}</bdi>
      {optional === undefined ? null : <span class="optional"> ({optional})</span>}
    </label>
    {hint === undefined ? null : (
      <p class="hint" id={`${id}-hint`}>
        <bdi>{hint}</bdi>
      </p>
    )}
    {children}
    {error === undefined ? null : (
      <p class="error" id={`${id}-error`}>
        {error}
      </p>
    )}
  </div>
)
