import type { ComponentChildren, Ref } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { Icon } from "../../brand/drawn.tsx"
import type { IconName } from "../../brand/icons.ts"
import { isolated } from "./isolated.tsx"
import { useReturn } from "./places.ts"
import { Link } from "./router.tsx"

export interface Children {
  readonly children?: ComponentChildren
}

interface SectionProps extends Children {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly intro?: ComponentChildren
  /** For a section that takes the focus. */
  readonly boxRef?: Ref<HTMLElement>
  /** For a section that may scroll, which keys can do only in an element with the focus. */
  readonly scrolls?: boolean
}

interface PageProps extends Omit<SectionProps, "boxRef" | "scrolls"> {
  readonly parent?: { readonly to: string; readonly label: string }
  /** Whether the title is that of something that is not loaded yet. */
  readonly isLoading?: boolean
}

/** The heading takes the focus, once it has its final words, so that a screen reader announces the new page. */
export const Page = ({ actions, children, intro, isLoading = false, parent, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  /** What had the focus before: the link to this page, if it is still there. */
  const before = useRef<Element>(undefined)
  useLayoutEffect(() => {
    document.title = `${title} · doorlock`
  }, [title])
  // Layout effects, because after the next paint the user may have moved the focus.
  useLayoutEffect(() => {
    const focused = document.activeElement ?? document.body
    before.current ??= focused
    if (!isLoading && (focused === before.current || focused === document.body)) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [isLoading])
  useReturn()
  return (
    <>
      <header class="page-head">
        <div>
          {parent === undefined ? null : (
            <p class="parent">
              <Link to={parent.to} up>
                {parent.label}
              </Link>
            </p>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {isolated(title)}
          </h1>
          {intro === undefined ? null : <p class="intro">{intro}</p>}
        </div>
        {actions === undefined ? null : <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export const Section = ({
  actions,
  boxRef = null,
  children,
  intro,
  scrolls = false,
  title
}: SectionProps) => {
  const id = useId()
  const tabIndex = scrolls ? 0 : boxRef === null ? undefined : -1
  return (
    <section class="section" aria-labelledby={id} ref={boxRef} tabIndex={tabIndex}>
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
  readonly icon?: IconName
}

/** Replaces an empty list: says what it would contain and how to add something. */
export const Empty = ({ action, children, icon = "empty", title }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    <p>{children}</p>
    {action}
  </div>
)

export type Tone = "good" | "info" | "warning" | "problem" | "neutral"

export const Badge = ({ children, tone = "neutral" }: Children & { readonly tone?: Tone }) => (
  <span class={`state ${tone}`}>{children}</span>
)

/** An integer with digit grouping. */
export const formatCount = (value: number): string => new Intl.NumberFormat("en").format(value)

/** Seconds, such as "41 s", "2 min 5 s" or "3 h 10 min". */
export const formatDuration = (given: number): string => {
  const seconds = Math.round(given)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`
}

interface FactsProps {
  readonly look?: "facts" | "figures"
  /** Entries whose value is undefined are left out. */
  readonly of: ReadonlyArray<readonly [label: string, value: ComponentChildren]>
}

/** Labels and values; `figures` are large numbers side by side. */
export const Facts = ({ look = "facts", of }: FactsProps) => (
  <dl class={look}>
    {of
      .filter(([, value]) => value !== undefined)
      .map(([label, value]) => (
        <div key={label} class={look === "figures" ? "figure" : undefined}>
          <dt>{label}</dt>
          <dd>{isolated(value)}</dd>
        </div>
      ))}
  </dl>
)
