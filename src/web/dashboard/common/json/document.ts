/** Changes values in a JSON document by path. Changes keep fields that the dashboard does not know. */
import { isObject, type Json, type Path } from "../../../json.ts"

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const changed = (value: unknown, [key, ...rest]: Path, leaf: unknown): unknown => {
  if (key === undefined) return leaf
  if (typeof key === "number") {
    const items = Array.isArray(value) ? value : []
    return items.map((item, index) => (index === key ? changed(item, rest, leaf) : item))
  }
  const object = isObject(value) ? value : {}
  const inner = changed(Object.hasOwn(object, key) ? object[key] : undefined, rest, leaf)
  // Emptied containers are removed, so clearing a field undoes filling it in.
  if (inner === undefined || (rest.length > 0 && isEmpty(inner))) {
    return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
  }
  return { ...object, [key]: inner }
}

/** The document with another value at a path; undefined removes the value. Adds no items to lists. */
export const withAt = (document: Json, path: Path, value: unknown): Json => {
  const next = changed(document, path, value)
  return isObject(next) ? next : {}
}

/** A path as the API writes it: `config.theme.primary`, `workflow.steps[0]`. */
export const written = (root: string, path: Path): string =>
  root +
  path
    .map((segment) => {
      if (typeof segment === "number") return `[${segment}]`
      return /^[A-Za-z_]\w*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`
    })
    .join("")

const segments = /\.([A-Za-z_$]\w*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy

/** The path at the beginning of an API message; undefined if the message is about another document. */
export const placeIn = (root: string, sentence: string): Path | undefined => {
  if (!sentence.startsWith(root)) return undefined
  const rest = sentence.slice(root.length)
  const found = [...rest.matchAll(segments)]
  const length = found.reduce((sum, [segment]) => sum + segment.length, 0)
  if (rest[length] !== " ") return undefined
  return found.map(
    ([, name, index, quoted]) =>
      name ?? (index === undefined ? String(JSON.parse(quoted ?? '""')) : Number(index))
  )
}

export const moved = <A>(items: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> =>
  items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1))
