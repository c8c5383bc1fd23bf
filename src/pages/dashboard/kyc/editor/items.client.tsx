/** A list within a document, each of whose items is a form of its own: to be added to, put in order, and taken from. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { isObject, list } from "../../../kyc/json.client.ts"
import { Alert, Button } from "../../../ui/parts.client.tsx"
import { Problem } from "./controls.client.tsx"
import { moved, type Path } from "./document.client.ts"
import { useSpot } from "./editing.client.ts"

/** A name that none of the items has: `consent2`. */
export const freshName = (items: ReadonlyArray<unknown>, key: string, stem: string): string => {
  const taken = new Set(items.map((item) => (isObject(item) ? item[key] : undefined)))
  if (!taken.has(stem)) return stem
  let number = 2
  while (taken.has(`${stem}${number}`)) number++
  return `${stem}${number}`
}

/**
 * Keys by which items stay what they are while they are moved: a name may be what is just being typed. Whoever changes the
 * list otherwise, as by its text, begins anew.
 */
const useKeys = (length: number) => {
  const next = useRef(0)
  const keys = useRef<ReadonlyArray<number>>([])
  const more = () => next.current++
  if (keys.current.length !== length) keys.current = Array.from({ length }, more)
  return {
    keys: keys.current,
    add: () => {
      keys.current = [...keys.current, more()]
    },
    move: (from: number, to: number) => {
      keys.current = moved(keys.current, from, to)
    },
    remove: (index: number) => {
      keys.current = keys.current.filter((_, other) => other !== index)
    },
    insert: (index: number) => {
      keys.current = [...keys.current.slice(0, index), more(), ...keys.current.slice(index)]
    }
  }
}

interface Items {
  readonly items: ReadonlyArray<unknown>
  readonly keys: ReadonlyArray<number>
  readonly add: (item: unknown) => void
  readonly move: (from: number, to: number) => void
  readonly remove: (index: number) => void
  /** Puts back what was removed last; undefined when nothing was. */
  readonly restore: (() => void) | undefined
}

/** The list at a place of the document. */
export const useItems = (path: Path): Items => {
  const { set, value } = useSpot(path)
  const items = list(value)
  const { keys, ...order } = useKeys(items.length)
  const [removed, setRemoved] = useState<{ readonly index: number; readonly item: unknown }>()
  const put = (next: ReadonlyArray<unknown>) => set(next.length === 0 ? undefined : next)
  return {
    items,
    keys,
    add: (item) => {
      setRemoved(undefined)
      order.add()
      put([...items, item])
    },
    move: (from, to) => {
      setRemoved(undefined)
      order.move(from, to)
      put(moved(items, from, to))
    },
    remove: (index) => {
      setRemoved({ index, item: items[index] })
      order.remove(index)
      put(items.filter((_, other) => other !== index))
    },
    restore:
      removed === undefined
        ? undefined
        : () => {
            setRemoved(undefined)
            order.insert(removed.index)
            put([...items.slice(0, removed.index), removed.item, ...items.slice(removed.index)])
          }
  }
}

interface MoveProps {
  readonly of: Items
  readonly from: number
  readonly to: number
  readonly label: string
  readonly sign: string
}

/** At the end of the list it stays where it is, and keeps the focus. */
const Move = ({ from, label, of, sign, to }: MoveProps) => (
  <button
    type="button"
    class="tool"
    aria-disabled={of.items[to] === undefined}
    onClick={({ currentTarget }) => {
      if (of.items[to] === undefined) return
      of.move(from, to)
      // Browsers take the focus from what is moved in the page.
      requestAnimationFrame(() => currentTarget.focus())
    }}
  >
    <span aria-hidden="true">{sign}</span>
    <span class="visually-hidden">{label}</span>
  </button>
)

interface CardProps {
  readonly of: Items
  readonly index: number
  /** What it is called, for its buttons. */
  readonly name: string
  readonly summary: ComponentChildren
  readonly path: Path
  /** Whether it has just been added, and is looked into next. */
  readonly fresh: boolean
  readonly onOpen?: () => void
  readonly children: ComponentChildren
}

/** An item of a list, folded up until it is wanted. */
export const Card = ({ children, fresh, index, name, of, onOpen, path, summary }: CardProps) => {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (!fresh || details.current === null) return
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
          <Problem path={[...path, index]} label={name} />
          {children}
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

interface RemovedProps {
  readonly of: Items
  readonly one: string
}

/** The way back from a removal. It takes the focus, which was on what is gone. */
export const Removed = ({ of: { restore }, one }: RemovedProps) => {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (restore !== undefined) box.current?.focus()
  }, [restore === undefined])
  if (restore === undefined) return null
  return (
    <Alert tone="info" boxRef={box}>
      <p>The {one} is removed.</p>
      <Button onClick={restore}>Undo</Button>
    </Alert>
  )
}

interface ItemsProps {
  readonly path: Path
  /** What an item is called, in a word. */
  readonly one: string
  readonly title: string
  /** Said when there are none. */
  readonly empty: string
  /** Where an item has its name. */
  readonly nameKey: string
  readonly make: (name: string) => unknown
  readonly children: (path: Path) => ComponentChildren
}

export const Items = ({ children, empty, make, nameKey, one, path, title }: ItemsProps) => {
  const of = useItems(path)
  const [added, setAdded] = useState<number>()
  const nameOf = (item: unknown, index: number): string => {
    const name = isObject(item) ? item[nameKey] : undefined
    return typeof name === "string" && name !== "" ? name : `${one} ${index + 1}`
  }
  return (
    <fieldset class="items">
      <legend>{title}</legend>
      <Problem path={path} label={title} />
      {of.items.length === 0 ? <p class="faint">{empty}</p> : null}
      <ul>
        {of.items.map((item, index) => (
          <Card
            key={of.keys[index]}
            of={of}
            index={index}
            name={nameOf(item, index)}
            path={path}
            fresh={added === index}
            summary={<strong>{nameOf(item, index)}</strong>}
          >
            {children([...path, index])}
          </Card>
        ))}
      </ul>
      <Removed of={of} one={one} />
      <Button
        onClick={() => {
          setAdded(of.items.length)
          of.add(make(freshName(of.items, nameKey, one)))
        }}
      >
        Add {one}
      </Button>
    </fieldset>
  )
}
