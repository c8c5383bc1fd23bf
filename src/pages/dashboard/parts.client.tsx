/** The parts that every page of the dashboard is made of. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../ui/parts.client.tsx"
import { failureOf } from "./api.client.ts"
import { Link } from "./router.client.tsx"

interface Children {
  readonly children?: ComponentChildren
}

interface PageProps extends Children {
  readonly title: string
  /** Where this page belongs to. */
  readonly parent?: { readonly to: string; readonly label: string }
  /** What can be done here, beside the heading. */
  readonly actions?: ComponentChildren
  readonly intro?: ComponentChildren
}

/** A page: its title in the tab and as the heading, which takes the focus, so that a screen reader reads the new page. */
export const Page = ({ actions, children, intro, parent, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · doorlock`
  }, [title])
  useEffect(() => {
    scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <>
      <header class="page-head">
        <div>
          {parent === undefined ? null : (
            <p class="parent">
              <Link to={parent.to}>{parent.label}</Link>
            </p>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro === undefined ? null : <p class="intro">{intro}</p>}
        </div>
        {actions === undefined ? null : <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

interface SectionProps extends Children {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly intro?: ComponentChildren
}

/** A part of a page on a surface of its own. */
export const Section = ({ actions, children, intro, title }: SectionProps) => {
  const id = useId()
  return (
    <section class="section" aria-labelledby={id}>
      <header class="section-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {intro === undefined ? null : <p class="intro">{intro}</p>}
      {children}
    </section>
  )
}

interface EmptyProps extends Children {
  readonly title: string
  readonly action?: ComponentChildren
}

/** Said where a list would be: what would be in it, and how it gets there. */
export const Empty = ({ action, children, title }: EmptyProps) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    <p>{children}</p>
    {action}
  </div>
)

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers stand on the right. */
  readonly numeric?: boolean
  /** What acts on the row: no label is shown beside it on a phone. */
  readonly actions?: boolean
}

interface TableProps<Row> {
  /** What is listed, for who does not see it. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}

/** A list of things with the same facts; the first column names them. On a phone each becomes a card. */
export const Table = <Row,>({ columns, keyOf, label, rows }: TableProps<Row>) => (
  <table class="table">
    <caption class="visually-hidden">{label}</caption>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.label} scope="col" class={column.numeric ? "numeric" : ""}>
            {column.actions ? <span class="visually-hidden">{column.label}</span> : column.label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map((column, index) => {
            const look = [column.numeric ? "numeric" : "", column.actions ? "row-actions" : ""]
              .join(" ")
              .trim()
            const content = column.cell(row)
            return index === 0 ? (
              <th key={column.label} scope="row">
                {content}
              </th>
            ) : (
              <td key={column.label} class={look} {...(column.actions ? {} : { "data-label": column.label })}>
                {content}
              </td>
            )
          })}
        </tr>
      ))}
    </tbody>
  </table>
)

interface BadgeProps extends Children {
  readonly tone?: "good" | "warning" | "problem" | "neutral"
}

/** A state in a word. */
export const Badge = ({ children, tone = "neutral" }: BadgeProps) => (
  <span class={`state ${tone}`}>{children}</span>
)

const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" })
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

const inWords = (at: number): string => {
  const distance = at - Date.now()
  if (Math.abs(distance) > 7 * 86_400_000) return moment.format(at)
  const [unit, length] = steps.find(([, millis]) => Math.abs(distance) >= millis) ?? ["minute", 60_000]
  return Math.abs(distance) < 60_000 ? "just now" : relative.format(Math.round(distance / length), unit)
}

interface TimeProps {
  readonly at: string | null
  /** What stands there when it never was. */
  readonly never?: string
  /** Date and clock time rather than how long ago. */
  readonly precise?: boolean
}

/** An instant in the reader's time zone; the exact one on hovering. */
export const Time = ({ at, never = "Never", precise = false }: TimeProps) => {
  if (at === null) return <span class="faint">{never}</span>
  const millis = Date.parse(at)
  return (
    <time dateTime={at} title={exact.format(millis)}>
      {precise ? moment.format(millis) : inWords(millis)}
    </time>
  )
}

/** Whole numbers with their groups apart. */
export const count = (value: number): string => new Intl.NumberFormat("en").format(value)

interface FactsProps {
  readonly of: ReadonlyArray<readonly [label: string, value: ComponentChildren]>
}

/** Labels and their values. */
export const Facts = ({ of }: FactsProps) => (
  <dl class="facts">
    {of.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A few numbers that say how it stands. */
export const Figures = ({ of }: FactsProps) => (
  <dl class="figures">
    {of.map(([label, value]) => (
      <div key={label} class="figure">
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** How many rows of a list that came whole are shown at first, and added at a time. */
const shownAtOnce = 50

/**
 * The first rows of a long list, and how to see more; undefined when all are shown.
 *
 * @param atLeast rows that are shown from the beginning
 */
export const useShown = <Row,>(rows: ReadonlyArray<Row>, atLeast = 0) => {
  const [limit, setLimit] = useState(Math.max(shownAtOnce, atLeast))
  return {
    shown: rows.slice(0, limit),
    more: rows.length > limit ? () => setLimit(limit + shownAtOnce) : undefined
  }
}

export const ShowMore = ({ more }: { readonly more: (() => void) | undefined }) =>
  more === undefined ? null : (
    <div class="more">
      <Button onClick={more}>Show more</Button>
    </div>
  )

interface CopyProps {
  readonly text: string
  /** What is copied, in a word or two: "key", "command". */
  readonly what: string
}

/** Puts a text on the clipboard, and says so. */
export const Copy = ({ text, what }: CopyProps) => {
  const [said, setSaid] = useState<"copied" | "failed">()
  useEffect(() => {
    if (said === undefined) return undefined
    const timer = setTimeout(() => setSaid(undefined), 2500)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid("copied")
    } catch {
      // Refused, or a page without https: the text is there to be selected.
      setSaid("failed")
    }
  }
  return (
    <span class="copy">
      <Button onClick={() => void copy()}>
        Copy <span class="visually-hidden">{what}</span>
      </Button>
      <span role="status" class="copied">
        {said === "copied" ? "Copied" : said === "failed" ? "Select and copy it yourself" : ""}
      </span>
    </span>
  )
}

interface SnippetProps {
  readonly label: string
  readonly text: string
}

/** Something to paste elsewhere. */
export const Snippet = ({ label, text }: SnippetProps) => {
  return (
    <figure class="snippet">
      <figcaption>
        {label}
        <Copy text={text} what={label} />
      </figcaption>
      {/* Wraps rather than scrolls: what scrolls would have to take the focus. */}
      <pre>
        <code>{text}</code>
      </pre>
    </figure>
  )
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
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
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

interface SecretProps {
  readonly label: string
  readonly secret: string
}

/** A secret that is shown this once. */
export const Secret = ({ label, secret }: SecretProps) => (
  <div class="secret">
    <p class="secret-label">{label}</p>
    <div class="secret-row">
      <code>{secret}</code>
      <Copy text={secret} what={label} />
    </div>
  </div>
)
