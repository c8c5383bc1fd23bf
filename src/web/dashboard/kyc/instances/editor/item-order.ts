/** A list within a document: adds, reorders and removes items. */
import { useRef, useState } from "preact/hooks"
import { isObject, list } from "../../../../json.ts"
import { moved, type Path } from "../../../common/json/document.ts"
import { useSpot } from "../../../common/json/editing.ts"

/** A name that no item has: `consent2`. */
export const freshName = (items: ReadonlyArray<unknown>, key: string, stem: string): string => {
  const taken = new Set(items.map((item) => (isObject(item) ? item[key] : undefined)))
  if (!taken.has(stem)) return stem
  let number = 2
  while (taken.has(`${stem}${number}`)) number++
  return `${stem}${number}`
}

/**
 * Stable keys for items that move: an item's name may be changing as the user types. Changes from elsewhere, such as
 * the text editor, reset the keys.
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

export interface Items {
  readonly items: ReadonlyArray<unknown>
  readonly keys: ReadonlyArray<number>
  readonly add: (item: unknown) => void
  readonly move: (from: number, to: number) => void
  readonly remove: (index: number) => void
  /** Restores the last removed item; undefined if there is none. */
  readonly restore: (() => void) | undefined
}

/** The list at a path of the document. */
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
