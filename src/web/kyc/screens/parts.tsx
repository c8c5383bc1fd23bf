/** The components that all screens share. */
import { type ComponentChildren, type ComponentProps, createContext } from "preact"
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Button, Field as Labelled } from "../../ui/parts.tsx"
import { useEmbedder } from "../embedding/embedder.ts"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import type { Flow } from "../sessions/create-flow.ts"

export const FlowContext = createContext<Flow | undefined>(undefined)

/** The flow of the current step. */
export const useFlow = (): Flow => {
  const flow = useContext(FlowContext)
  if (flow === undefined) throw new Error("A step outside of a flow")
  return flow
}

interface Children {
  readonly children?: ComponentChildren
}

/**
 * A screen's heading. It takes the focus, so that a screen reader reads the new screen and Tab continues from there. In
 * a frame it does not take the focus from the surrounding page, where the reader may be busy. It takes the focus before
 * the next paint: afterwards, the reader may have moved it.
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

/** A screen that only says something, with a badge for an outcome or a problem. */
export const Message = ({ badge, children, text, title }: MessageProps) => (
  <section class={badge === undefined ? undefined : "outcome"}>
    {badge === undefined ? null : <span class={`badge ${badge}`} aria-hidden="true" />}
    <Heading>{title}</Heading>
    {text === undefined ? null : <p class="intro">{text}</p>}
    {children}
  </section>
)

/** Says what the reader is waiting for. */
export const Waiting = ({ children }: Children) => (
  <p class="busy" role="status">
    <span class="spinner" aria-hidden="true" /> {children}
  </p>
)

/** The screen until there is something to show. */
export const Loading = () => (
  <div class="loading">
    <Waiting>{useI18n().t("loading")}</Waiting>
  </div>
)

/** The error of a control that is not in a `Field`, if any. */
export const ControlError = ({ error, id }: { readonly error: string | undefined; readonly id: string }) =>
  error === undefined ? null : (
    <p class="error" id={`${id}-error`}>
      {error}
    </p>
  )

interface StopQuestionProps {
  readonly busy: boolean
  readonly onStop: () => void
  readonly onKeep: () => void
}

/** Asks before the session is stopped, because stopping is final. */
export const StopQuestion = ({ busy, onKeep, onStop }: StopQuestionProps) => {
  const { t } = useI18n()
  return (
    <Alert tone="warning" title={t("stopTitle")}>
      <p>{t("stopText")}</p>
      <div class="row">
        <Button busy={busy} onClick={onStop}>
          {t("stopConfirm")}
        </Button>
        <Button onClick={onKeep}>{t("stopKeep")}</Button>
      </div>
    </Alert>
  )
}

interface FieldProps extends Omit<ComponentProps<typeof Labelled>, "optional"> {
  readonly optional?: boolean
}

/** A field with labels in the reader's language. */
export const Field = ({ optional = false, ...field }: FieldProps) => {
  const { t } = useI18n()
  return <Labelled {...field} optional={optional ? t("optional") : undefined} />
}

/** Error messages by the id of the control. */
export type Errors = ReadonlyMap<string, string>

/** The errors of the last submission. */
export interface Review {
  readonly errors: Errors
  /** How often the step was submitted. */
  readonly round: number
}

/** The errors of a step. They appear when the step is submitted, and each disappears when its control changes. */
export const useErrors = () => {
  const [review, setReview] = useState<Review>({ errors: new Map(), round: 0 })
  return {
    review,
    errors: review.errors,
    find: (errors: Errors) => setReview(({ round }) => ({ errors, round: round + 1 })),
    clearErrors: (...ids: ReadonlyArray<string>) =>
      setReview(({ errors, round }) => ({
        errors: new Map([...errors].filter(([id]) => !ids.includes(id))),
        round
      }))
  }
}

/** All errors, each with a link to its control; takes the focus after each submission with errors. */
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

/** The languages for a partner's text: the reader's, then the instance's, then English. */
export const languagesFor = (i18n: I18n, flow: Flow): ReadonlyArray<string> => [
  i18n.locale,
  ...(flow.session.config.defaultLocale === undefined ? [] : [flow.session.config.defaultLocale]),
  "en"
]
