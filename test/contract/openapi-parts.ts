/**
 * The OpenAPI document in parts that can be read and reviewed: one for each tag, one for what several tags share, and an index, which
 * says in which part each operation, schema and response is. Nothing is left out: {@link wholeOf} makes the same document of them.
 */

/** A part: operations by path and method, and components by kind and name. */
interface Part {
  readonly paths: Record<string, Record<string, unknown>>
  readonly components: Record<string, Record<string, unknown>>
}

/** The rest of it stays as it is. */
export interface Document extends Part {
  readonly openapi: string
}

export interface Parts {
  /** The document, with the name of a part in the place of what is there. */
  readonly index: Document
  readonly parts: ReadonlyMap<string, Part>
}

const shared = "shared"

/** The part of an operation: what is tagged `KYC timeline, for the partner's server` is in `kyc-timeline-for-the-partners-server`. */
const partOf = (operation: unknown): string => {
  // The cast: an operation of ours has one tag.
  const { tags } = operation as { readonly tags: readonly [string] }
  return tags[0]
    .toLowerCase()
    .replaceAll("'", "")
    .replaceAll(/[^a-z]+/g, "-")
}

/** Every component by its reference, `#/components/schemas/Error`, in the order of the document. */
const componentsOf = ({ components }: Part) =>
  Object.entries(components).flatMap(([kind, all]) =>
    Object.entries(all).map(([name, value]) => ({ kind, name, value, ref: `#/components/${kind}/${name}` }))
  )

const operationsOf = ({ paths }: Part) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, value]) => ({ path, method, value }))
  )

/** The references in something, and in what they refer to. */
const reach = (value: unknown, components: ReadonlyMap<string, unknown>, found = new Set<string>()) => {
  for (const [, ref = ""] of JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)) {
    if (found.has(ref)) continue
    found.add(ref)
    reach(components.get(ref), components, found)
  }
  return found
}

/** An entry two levels down, which is made where there is none. */
const put = (into: Record<string, Record<string, unknown>>, outer: string, inner: string, value: unknown) => {
  into[outer] ??= {}
  into[outer][inner] = value
}

/** The document with another value in the place of each operation and component. */
const mapped = (
  document: Document,
  entryOf: (group: keyof Part, outer: string, inner: string) => unknown
) => {
  const whole: Document = { ...document, paths: {}, components: {} }
  for (const { method, path } of operationsOf(document)) {
    put(whole.paths, path, method, entryOf("paths", path, method))
  }
  for (const { kind, name } of componentsOf(document)) {
    put(whole.components, kind, name, entryOf("components", kind, name))
  }
  return whole
}

/** The document, taken apart. A component is in the part of the only tag that refers to it, or in the one that is shared. */
export const partsOf = (document: Document): Parts => {
  const components = new Map(componentsOf(document).map(({ ref, value }) => [ref, value]))
  const users = new Map<string, Set<string>>()
  for (const { value } of operationsOf(document)) {
    for (const ref of reach(value, components))
      users.set(ref, (users.get(ref) ?? new Set()).add(partOf(value)))
  }
  const parts = new Map<string, Part>()
  const index = mapped(document, (group, outer, inner) => {
    const value = document[group][outer]?.[inner]
    const [only = shared, ...others] = users.get(`#/components/${outer}/${inner}`) ?? []
    const name = group === "paths" ? partOf(value) : others.length === 0 ? only : shared
    const part = parts.get(name) ?? { paths: {}, components: {} }
    put(part[group], outer, inner, value)
    parts.set(name, part)
    return name
  })
  return { index, parts }
}

/** The document, put together again. */
export const wholeOf = ({ index, parts }: Parts): Document =>
  mapped(
    index,
    (group, outer, inner) => parts.get(String(index[group][outer]?.[inner]))?.[group][outer]?.[inner]
  )
