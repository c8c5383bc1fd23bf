/** What all screens share. */
import { type ComponentChildren, type ComponentProps, createContext } from "preact"
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Button, describedBy, Field as Labelled } from "../../ui/parts.tsx"
import { useEmbedder } from "../embedding/embedder.ts"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import type { Flow } from "../sessions/create-flow.ts"

export const FlowContext = createContext<Flow | undefined>(undefined)

export const useFlow = (): Flow => {
  const flow = useContext(FlowContext)
  if (flow === undefined) throw new Error("A step outside of a flow")
  return flow
}

interface Children {
  readonly children?: ComponentChildren
}

/**
 * Takes the focus, but not from a page around the frame, so that a screen reader reads the new screen and Tab
 * continues from there. It does so before the next paint: afterwards, the reader may have moved the focus.
 */
export const Heading = ({ children }: Children) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const { framed } = useEmbedder()
  useLayoutEffect(() => {
    if (framed && !document.hasFocus()) return
    scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

interface MessageProps extends Children {
  readonly badge?: string
  readonly title: string
  readonly text?: string | undefined
}

/** A screen with a message; the badge is for an outcome or a problem. */
export const Message = ({ badge, children, text, title }: MessageProps) => (
  <section class={badge === undefined ? undefined : "outcome"}>
    {badge === undefined ? null : <span class={`badge ${badge}`} aria-hidden="true" />}
    <Heading>{title}</Heading>
    {text === undefined ? null : <p class="intro">{text}</p>}
    {children}
  </section>
)

export const Waiting = ({ children }: Children) => (
  <p class="waiting" role="status">
    <span class="spinner" aria-hidden="true" /> {children}
  </p>
)

export const Loading = () => (
  <div class="loading">
    <Waiting>{useI18n().t("loading")}</Waiting>
  </div>
)

/** For a control outside of a `Field`. */
export const ControlError = ({ error, id }: { readonly error: string | undefined; readonly id: string }) =>
  error === undefined ? null : (
    <p class="error" id={`${id}-error`}>
      {error}
    </p>
  )

interface StopProps extends Children, Pick<ComponentProps<typeof Button>, "look"> {
  readonly busy: boolean
  readonly onStop: () => void
}

/** Asks first, because stopping is final. The question takes the place of the button and its focus, and gives both back. */
export const Stop = ({ busy, children, look = "secondary", onStop }: StopProps) => {
  const { t } = useI18n()
  const [asking, setAsking] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const asked = useRef(false)
  useLayoutEffect(() => {
    if (asking || asked.current) place.current?.querySelector<HTMLElement>(".alert, button")?.focus()
    asked.current ||= asking
  }, [asking])
  return (
    <div class="stop" ref={place}>
      {asking ? (
        <Alert tone="warning" title={t("stopTitle")}>
          <p>{t("stopText")}</p>
          <div class="row">
            <Button busy={busy} onClick={onStop}>
              {t("stopConfirm")}
            </Button>
            <Button onClick={() => setAsking(false)}>{t("stopKeep")}</Button>
          </div>
        </Alert>
      ) : (
        <Button look={look} busy={busy} onClick={() => setAsking(true)}>
          {children}
        </Button>
      )}
    </div>
  )
}

/** The attributes that connect a control to its label, hint and error. */
export type ControlAttributes = Pick<
  ComponentProps<"select">,
  "id" | "required" | "aria-invalid" | "aria-describedby"
>

interface FieldProps extends Omit<ComponentProps<typeof Labelled>, "optional" | "children"> {
  readonly optional?: boolean
  readonly children: (control: ControlAttributes) => ComponentChildren
}

/** With labels in the reader's language. */
export const Field = ({ children, optional = false, ...field }: FieldProps) => {
  const { t } = useI18n()
  const { error, hint, id } = field
  return (
    <Labelled {...field} optional={optional ? t("optional") : undefined}>
      {children({
        id,
        required: !optional,
        "aria-invalid": error !== undefined,
        "aria-describedby": describedBy(id, hint, error)
      })}
    </Labelled>
  )
}

interface SelectProps
  extends ControlAttributes,
    Pick<ComponentProps<"select">, "autocomplete" | "name" | "value"> {
  readonly choices: ReadonlyArray<{ readonly code: string; readonly name: string }>
  readonly onCode: (code: string) => void
}

/** Nothing is chosen at first. */
export const Select = ({ choices, onCode, ...attributes }: SelectProps) => {
  const { t } = useI18n()
  return (
    <select {...attributes} onChange={({ currentTarget }) => onCode(currentTarget.value)}>
      <option value="">{t("choose")}</option>
      {choices.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** By the id of the control. */
export type Errors = ReadonlyMap<string, string>

export interface Review {
  readonly errors: Errors
  /** How often the step was submitted. */
  readonly round: number
}

/** Errors appear when the step is submitted; each disappears when its control changes. */
export const useErrors = () => {
  const [review, setReview] = useState<Review>({ errors: new Map(), round: 0 })
  return {
    review,
    errors: review.errors,
    find: (errors: Errors) => setReview(({ round }) => ({ errors, round: round + 1 })),
    clearError: (...ids: ReadonlyArray<string>) =>
      setReview(({ errors, round }) => ({
        errors: new Map([...errors].filter(([id]) => !ids.includes(id))),
        round
      }))
  }
}

/** Takes the focus after each submission with errors. */
export const ErrorSummary = ({ errors, round }: Review) => {
  const { t } = useI18n()
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (errors.size > 0) box.current?.focus()
  }, [round])
  if (errors.size === 0) return null
  return (
    <Alert title={t("errorSummary")} boxRef={box}>
      <ul>
        {[...errors].map(([id, message]) => (
          <li key={id}>
            <a
              href={`#${id}`}
              onClick={(event) => {
                event.preventDefault()
                document.getElementById(id)?.focus()
              }}
            >
              {message}
            </a>
          </li>
        ))}
      </ul>
    </Alert>
  )
}

/** For a partner's text. */
export const languagesFor = (i18n: I18n, flow: Flow): ReadonlyArray<string> => [
  i18n.locale,
  ...(flow.session.config.defaultLocale === undefined ? [] : [flow.session.config.defaultLocale]),
  "en"
]
