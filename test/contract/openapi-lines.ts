/**
 * Writes the OpenAPI document as lines for review, in one file per tag, one for components that several tags share, and one
 * for the rest. Each line says where its JSON belongs, so a diff is readable by itself.
 */

import { isJsonObject } from "../../src/shared/json.ts"

/** Operations by path and method, webhooks by event and method, and components by kind and name. */
export interface Document {
  readonly paths: Items
  readonly webhooks: Items
  readonly components: Items
}

type Items = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What has lines for each of its entries. Everything else is JSON in the line of what it belongs to. */
const split = new Set([
  "content",
  "examples",
  "headers",
  "info",
  "parameters",
  "properties",
  "requestBody",
  "responses",
  "tags"
])

/** What is empty has no lines of its own, and stays in the line of what it belongs to. */
const isSplit = ([name, value]: readonly [string, unknown]) =>
  split.has(name) && typeof value === "object" && value !== null && Object.keys(value).length > 0

const linesOf = (where: string, value: unknown): ReadonlyArray<string> => {
  if (!isJsonObject(value)) return [`${where}: ${JSON.stringify(value)}`]
  const entries = Object.entries(value)
  const own = entries.filter((entry) => !isSplit(entry))
  const lines = entries
    .filter(isSplit)
    .flatMap(([name, all]) =>
      Object.entries(Object(all)).flatMap(([key, one]) => linesOf(`${where} ${name} ${key}`, one))
    )
  return own.length === 0 && lines.length > 0
    ? lines
    : [`${where}: ${JSON.stringify(Object.fromEntries(own))}`, ...lines]
}

/**
 * The name of an operation's file: the tag `KYC timeline, for the partner's server` becomes
 * `kyc-timeline-for-the-partners-server`.
 */
const fileOf = (operation: unknown): string => {
  // The cast: each of our operations has exactly one tag.
  const { tags } = operation as { readonly tags: readonly [string] }
  return tags[0]
    .toLowerCase()
    .replaceAll("'", "")
    .replaceAll(/[^a-z]+/g, "-")
}

const entriesOf = (items: Items) =>
  Object.entries(items).flatMap(([outer, all]) =>
    Object.entries(all).map(([inner, value]) => ({ outer, inner, value }))
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

/** The text of each file. A component is in the file of the only tag that refers to it, or in the shared one. */
export const goldenFiles = ({
  components,
  paths,
  webhooks,
  ...rest
}: Document): ReadonlyMap<string, string> => {
  const files = new Map<string, string>()
  const add = (file: string, where: string, value: unknown) => {
    files.set(file, `${files.get(file) ?? ""}${linesOf(where, value).join("\n")}\n`)
  }
  add("document", "document", rest)
  const refs = new Map(
    entriesOf(components).map(({ inner, outer, value }) => [`#/components/${outer}/${inner}`, value])
  )
  const users = new Map<string, Set<string>>()
  for (const { inner, outer, value } of [...entriesOf(paths), ...entriesOf(webhooks)]) {
    const file = fileOf(value)
    add(file, `${inner.toUpperCase()} ${outer}`, value)
    for (const ref of reach(value, refs)) users.set(ref, (users.get(ref) ?? new Set()).add(file))
  }
  for (const { inner, outer, value } of entriesOf(components)) {
    const [only = "shared", ...others] = users.get(`#/components/${outer}/${inner}`) ?? []
    add(others.length === 0 ? only : "shared", `${outer} ${inner}`, value)
  }
  return files
}
