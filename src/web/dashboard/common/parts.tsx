/** The parts that every page of the dashboard is made of. */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { Link } from "./router.tsx"

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

/**
 * A page: its title in the tab and as the heading, which takes the focus, so that a screen reader reads the new page. At once, not after
 * the next painting: what has the focus by then may be something that the reader has chosen.
 */
export const Page = ({ actions, children, intro, parent, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · doorlock`
  }, [title])
  useLayoutEffect(() => {
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

interface BadgeProps extends Children {
  readonly tone?: "good" | "warning" | "problem" | "neutral"
}

/** A state in a word. */
export const Badge = ({ children, tone = "neutral" }: BadgeProps) => (
  <span class={`state ${tone}`}>{children}</span>
)

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
