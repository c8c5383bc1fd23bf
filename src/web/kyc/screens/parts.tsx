/** The parts that every screen is made of. */
import { type ComponentChildren, type ComponentProps, createContext } from "preact"
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Field as Labelled } from "../../ui/parts.tsx"
import { useEmbedder } from "../embedding/embedder.ts"
import { type I18n, useI18n } from "../i18n/i18n.ts"
import type { Flow } from "../sessions/flow.ts"

export const FlowContext = createContext<Flow | undefined>(undefined)

/** The flow that a step is part of. */
export const useFlow = (): Flow => {
  const flow = useContext(FlowContext)
  if (flow === undefined) throw new Error("A step outside of a flow")
  return flow
}

interface Children {
  readonly children?: ComponentChildren
}

/**
 * The heading of a screen. It takes the focus, so that a screen reader reads the new screen and Tab goes on from there; in a
 * frame not from the page around it, whose reader may be busy there. At once, not after the next painting: what has the focus by then
 * may be something that the reader has chosen.
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

interface FieldProps extends Omit<ComponentProps<typeof Labelled>, "optional"> {
  readonly optional?: boolean
}

/** A field, in the reader's language. */
export const Field = ({ optional = false, ...field }: FieldProps) => {
  const { t } = useI18n()
  return <Labelled {...field} optional={optional ? t("optional") : undefined} />
}

/** What is wrong, by the id of the control it is about. */
export type Errors = ReadonlyMap<string, string>

/** What is wrong with what was handed in. */
export interface Review {
  readonly errors: Errors
  /** How often something was handed in. */
  readonly round: number
}

/** The errors of a step: found when it is handed in, and each gone once its control is changed. */
export const useErrors = () => {
  const [review, setReview] = useState<Review>({ errors: new Map(), round: 0 })
  return {
    review,
    find: (errors: Errors) => setReview(({ round }) => ({ errors, round: round + 1 })),
    mend: (...ids: ReadonlyArray<string>) =>
      setReview(({ errors, round }) => ({
        errors: new Map([...errors].filter(([id]) => !ids.includes(id))),
        round
      }))
  }
}

/** All that is wrong, with the way to each; focused whenever something was handed in that is not right. */
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

/** A partner's text in the reader's language, or else in the instance's. */
export const languagesFor = (i18n: I18n, flow: Flow): ReadonlyArray<string> => [
  i18n.locale,
  ...(flow.session.config.defaultLocale === undefined ? [] : [flow.session.config.defaultLocale]),
  "en"
]
