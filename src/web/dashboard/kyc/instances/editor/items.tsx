import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { object, text } from "../../../../json.ts"
import { Alert, Button } from "../../../../ui/parts.tsx"
import { EditingProvider, useEditing } from "../../../common/json/editing.ts"
import { freshName, type Items as Listed, useItems } from "./item-order.ts"
import { Problem } from "./problems.tsx"

interface MoveProps {
  readonly of: Listed
  readonly from: number
  readonly to: number
  readonly label: string
  readonly sign: string
}

/** Keeps the focus, also on the first or last item. */
const Move = ({ from, label, of, sign, to }: MoveProps) => (
  <button
    type="button"
    class="tool"
    aria-disabled={of.items[to] === undefined}
    onClick={({ currentTarget }) => {
      if (of.items[to] === undefined) return
      of.move(from, to)
      // Browsers remove the focus from an element that moves in the page.
      requestAnimationFrame(() => currentTarget.focus())
    }}
  >
    <span aria-hidden="true">{sign}</span>
    <span class="visually-hidden">{label}</span>
  </button>
)

interface CardProps {
  readonly of: Listed
  readonly index: number
  /** For the labels of its buttons. */
  readonly name: string
  readonly summary: ComponentChildren
  readonly onOpen?: () => void
  readonly children: ComponentChildren
}

/** A collapsible item of a list, open if it is new. */
export const Card = ({ children, index, name, of, onOpen, summary }: CardProps) => {
  const editing = useEditing()
  const details = useRef<HTMLDetailsElement>(null)
  useLayoutEffect(() => {
    if (of.added !== index || details.current === null) return
    details.current.open = true
    details.current.querySelector("summary")?.focus()
  }, [])
  return (
    <li class="card">
      <details
        ref={details}
        onToggle={(event) => {
          if (event.currentTarget.open) onOpen?.()
        }}
      >
        <summary>{summary}</summary>
        <div class="card-body">
          <EditingProvider value={{ ...editing, part: [...of.path, index] }}>
            <Problem at="" label={name} />
            {children}
          </EditingProvider>
          <Button look="quiet" onClick={() => of.remove(index)}>
            Remove <span class="visually-hidden">{name}</span>
          </Button>
        </div>
      </details>
      <div class="card-tools">
        <Move of={of} from={index} to={index - 1} label={`Move ${name} up`} sign="↑" />
        <Move of={of} from={index} to={index + 1} label={`Move ${name} down`} sign="↓" />
      </div>
    </li>
  )
}

/** Offers to undo a removal. Takes the focus, which was on the removed item. */
export const Removed = ({ of: { restore }, one }: { readonly of: Listed; readonly one: string }) => {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (restore !== undefined) box.current?.focus()
  }, [restore === undefined])
  if (restore === undefined) return null
  return (
    <Alert tone="good" boxRef={box}>
      <p>The {one} is removed.</p>
      <Button onClick={restore}>Undo</Button>
    </Alert>
  )
}

interface ItemsProps {
  readonly at: string
  readonly one: string
  readonly title: string
  /** The text for an empty list. */
  readonly empty: string
  /** The key of an item's name. */
  readonly nameKey: string
  readonly make: (name: string) => unknown
  readonly children: ComponentChildren
}

/** A list within a document; each item has its own form. */
export const Items = ({ at, children, empty, make, nameKey, one, title }: ItemsProps) => {
  const of = useItems(at)
  return (
    <fieldset class="items">
      <legend>{title}</legend>
      <Problem at={at} label={title} />
      {of.items.length === 0 ? <p class="faint">{empty}</p> : null}
      <ul>
        {of.items.map((item, index) => {
          const name = text(object(item)[nameKey]) ?? `${one} ${index + 1}`
          return (
            <Card key={of.keys[index]} of={of} index={index} name={name} summary={<strong>{name}</strong>}>
              {children}
            </Card>
          )
        })}
      </ul>
      <Removed of={of} one={one} />
      <Button onClick={() => of.add(make(freshName(of.items, nameKey, one)))}>Add {one}</Button>
    </fieldset>
  )
}
