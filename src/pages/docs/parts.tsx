/** @jsxImportSource preact */
/** The docs are complete without scripts, so everything is rendered. The script adds buttons to copy. */
import type { ComponentChildren, ComponentProps } from "preact"
import { type Call, languages } from "../../web/reference/calls.ts"
import type { Reading } from "../../web/reference/reading.ts"

type Parts = Reading["parts"]

const Disclosure = ({
  children,
  class: look = "",
  open = false,
  summary
}: ComponentProps<Parts["Disclosure"]>) => (
  <details class={look} open={open}>
    <summary>{summary}</summary>
    {children()}
  </details>
)

const Snippet = ({ label, text }: ComponentProps<Parts["Snippet"]>) => (
  <figure class="snippet">
    <figcaption>{label}</figcaption>
    <pre>
      <code>{text}</code>
    </pre>
  </figure>
)

const Choice = ({ children, names }: ComponentProps<Parts["Choice"]>) => {
  const [first] = names
  if (first === undefined) return null
  return (
    <>
      <p class="media-type">
        {names.map((name) => (
          <code key={name}>{name}</code>
        ))}
      </p>
      {children(first)}
    </>
  )
}

const LongList = ({ children, class: look }: ComponentProps<Parts["LongList"]>) => (
  <ul class={look}>{children}</ul>
)

export const parts: Parts = { Choice, Disclosure, LongList, Snippet }

/** A call in all languages. Radio buttons and the style sheet show one of them, also without scripts. */
export const Samples = ({ call }: { readonly call: Call }) => (
  <section class="samples" aria-label="Code">
    <fieldset class="languages">
      <legend class="visually-hidden">Language</legend>
      {languages.map(({ id, label }, index) => (
        <label key={id}>
          <input type="radio" name="language" value={id} checked={index === 0} />
          {label}
        </label>
      ))}
    </fieldset>
    {languages.map(({ id, label, write }) => (
      <figure key={id} class={`snippet ${id}`}>
        <figcaption>
          {call.method} {call.path}
          <span class="visually-hidden"> with {label}</span>
        </figcaption>
        <pre>
          <code>{write(call)}</code>
        </pre>
      </figure>
    ))}
  </section>
)

interface Neighbour {
  readonly address: string
  readonly title: string
}

interface NeighboursProps {
  /** What they are. */
  readonly of: string
  readonly before: Neighbour | undefined
  readonly after: Neighbour | undefined
}

/** Links to the pages before and after. */
export const Neighbours = ({ after, before, of }: NeighboursProps) => (
  <nav class="neighbours" aria-label={`Next and previous ${of}`}>
    {before === undefined ? (
      <span />
    ) : (
      <a href={before.address} rel="prev">
        {before.title}
      </a>
    )}
    {after === undefined ? null : (
      <a href={after.address} rel="next">
        {after.title}
      </a>
    )}
  </nav>
)

export const Method = ({ children }: { readonly children: ComponentChildren }) => (
  <span class={`method ${String(children).toLowerCase()}`}>{children}</span>
)
