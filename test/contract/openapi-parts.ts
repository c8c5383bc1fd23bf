/**
 * Splits the OpenAPI document into parts for review: one per tag, one for components that several tags share, and an index
 * that maps each operation, schema and response to its part. {@link wholeOf} restores the document without loss.
 */

/** A part: operations by path and method, webhooks by event and method, and components by kind and name. */
interface Part {
  paths: Record<string, Record<string, unknown>>
  webhooks?: Record<string, Record<string, unknown>>
  components: Record<string, Record<string, unknown>>
}

/** A part with the document's other fields. */
export interface Document extends Part {
  readonly openapi: string
}

export interface Parts {
  /** The document, with the name of a part in place of each operation and component. */
  readonly index: Document
  readonly parts: ReadonlyMap<string, Part>
}

const shared = "shared"

/**
 * The name of an operation's part: the tag `KYC timeline, for the partner's server` becomes
 * `kyc-timeline-for-the-partners-server`.
 */
const partOf = (operation: unknown): string => {
  // The cast: each of our operations has exactly one tag.
  const { tags } = operation as { readonly tags: readonly [string] }
  return tags[0]
    .toLowerCase()
    .replaceAll("'", "")
    .replaceAll(/[^a-z]+/g, "-")
}

/** Every component by its reference, `#/components/schemas/Error`, in document order. */
const componentsOf = ({ components }: Part) =>
  Object.entries(components).flatMap(([kind, all]) =>
    Object.entries(all).map(([name, value]) => ({ kind, name, value, ref: `#/components/${kind}/${name}` }))
  )

const operationsOf = ({ paths, webhooks = {} }: Part) =>
  Object.entries({ paths, webhooks }).flatMap(([group, items]) =>
    Object.entries(items).flatMap(([path, item]) =>
      // The cast: `Object.entries` returns the names as strings.
      Object.entries(item).map(([method, value]) => ({ group: group as keyof Part, path, method, value }))
    )
  )

/** All references in a value, direct and indirect. */
const reach = (value: unknown, components: ReadonlyMap<string, unknown>, found = new Set<string>()) => {
  for (const [, ref = ""] of JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)) {
    if (found.has(ref)) continue
    found.add(ref)
    reach(components.get(ref), components, found)
  }
  return found
}

/** Sets an entry two levels down; creates the outer object if necessary. */
const put = (into: Record<string, Record<string, unknown>>, outer: string, inner: string, value: unknown) => {
  into[outer] ??= {}
  into[outer][inner] = value
}

/** The document with each operation and component replaced. */
const mapped = (
  document: Document,
  entryOf: (group: keyof Part, outer: string, inner: string) => unknown
) => {
  const whole = { ...document, paths: {}, webhooks: {}, components: {} }
  for (const { group, method, path } of operationsOf(document)) {
    put(whole[group], path, method, entryOf(group, path, method))
  }
  for (const { kind, name } of componentsOf(document)) {
    put(whole.components, kind, name, entryOf("components", kind, name))
  }
  return whole
}

/** Splits the document. A component belongs to the only tag that refers to it, or to the shared part. */
export const partsOf = (document: Document): Parts => {
  const components = new Map(componentsOf(document).map(({ ref, value }) => [ref, value]))
  const users = new Map<string, Set<string>>()
  for (const { value } of operationsOf(document)) {
    for (const ref of reach(value, components))
      users.set(ref, (users.get(ref) ?? new Set()).add(partOf(value)))
  }
  const parts = new Map<string, Part>()
  const index = mapped(document, (group, outer, inner) => {
    const value = document[group]?.[outer]?.[inner]
    const [only = shared, ...others] = users.get(`#/components/${outer}/${inner}`) ?? []
    const name = group === "components" ? (others.length === 0 ? only : shared) : partOf(value)
    const part: Part = parts.get(name) ?? { paths: {}, components: {} }
    part[group] ??= {}
    put(part[group], outer, inner, value)
    parts.set(name, part)
    return name
  })
  return { index, parts }
}

/** Restores the document from its parts. */
export const wholeOf = ({ index, parts }: Parts): Document =>
  mapped(
    index,
    (group, outer, inner) => parts.get(String(index[group]?.[outer]?.[inner]))?.[group]?.[outer]?.[inner]
  )
