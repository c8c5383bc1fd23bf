import { useRef, useState } from "preact/hooks"
import { isObject, list } from "../../../../json.ts"
import { moved } from "../../../common/json/document.ts"
import { useSpot } from "../../../common/json/editing.ts"

/** A name that no item has, such as `consent2`. */
export const freshName = (items: ReadonlyArray<unknown>, key: string, stem: string): string => {
  const taken = new Set(items.map((item) => (isObject(item) ? item[key] : undefined)))
  if (!taken.has(stem)) return stem
  let number = 2
  while (taken.has(`${stem}${number}`)) number++
  return `${stem}${number}`
}

export type Items = ReturnType<typeof useItems>

/** Adds, reorders and removes items of the list at a place of the edited part. */
export const useItems = (at: string) => {
  const { path, set, value } = useSpot(at)
  const items = list(value)
  const [added, setAdded] = useState<number>()
  const [removed, setRemoved] = useState<{ readonly index: number; readonly item: unknown }>()
  // Not the items' names, which change as the user types.
  const keys = useRef<ReadonlyArray<number>>([])
  const nextKey = useRef(0)
  const newKey = () => nextKey.current++
  // Changed elsewhere, as in the text editor.
  if (keys.current.length !== items.length) keys.current = items.map(newKey)

  const put = (next: ReadonlyArray<unknown>, nextKeys: ReadonlyArray<number>, gone?: typeof removed) => {
    keys.current = nextKeys
    setRemoved(gone)
    set(next.length === 0 ? undefined : next)
  }
  const insert = (index: number, item: unknown) =>
    put(items.toSpliced(index, 0, item), keys.current.toSpliced(index, 0, newKey()))
  return {
    path,
    items,
    keys: keys.current,
    /** The index of the item that was added last. */
    added,
    add: (item: unknown) => {
      setAdded(items.length)
      insert(items.length, item)
    },
    move: (from: number, to: number) => put(moved(items, from, to), moved(keys.current, from, to)),
    remove: (index: number) =>
      put(items.toSpliced(index, 1), keys.current.toSpliced(index, 1), { index, item: items[index] }),
    /** Undoes the last removal; undefined if there is none. */
    restore: removed === undefined ? undefined : () => insert(removed.index, removed.item)
  }
}
