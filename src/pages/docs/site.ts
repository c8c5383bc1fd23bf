/** What the docs are made of: the operations of the contract, by goal and group. */
import { type Json, list, object } from "../../web/json.ts"
import {
  answersOf,
  bodyOf,
  type Operation,
  operationsOf,
  parametersOf,
  plain,
  textOf
} from "../../web/reference/document.ts"
import type { SearchEntry } from "../../web/reference/search.ts"
import { type Goal, goals } from "./goals.ts"
import type { Guide } from "./guides.ts"

export interface DocumentedOperation {
  readonly operation: Operation
  /** A few words, from the summary. */
  readonly title: string
  readonly address: string
  readonly goal: string
  readonly group: string
}

/** The summary up to a comma, colon or semicolon, but at least two words of it: the rest is on the operation's page. */
const titleOf = (summary: string): string =>
  (/^\S+ .+?(?=[,;:] )/.exec(summary)?.[0] ?? summary).replaceAll("`", "")

const addressOf = ({ operationId }: Operation): string => `/docs/operations/${operationId}`

export interface Site {
  readonly document: Json
  readonly guides: ReadonlyArray<Guide>
  /** In the order of the goals. */
  readonly operations: ReadonlyArray<DocumentedOperation>
  readonly goals: ReadonlyArray<{
    readonly title: string
    readonly icon: Goal["icon"]
    readonly intro: string
    readonly groups: ReadonlyArray<{
      readonly label: string
      readonly description: string
      readonly operations: ReadonlyArray<DocumentedOperation>
    }>
  }>
  /** The requests to webhook endpoints. */
  readonly events: ReadonlyArray<{ readonly type: string; readonly operation: Operation }>
}

const tagDescription = (document: Json, name: string): string =>
  textOf(object(list(document.tags).find((tag) => object(tag).name === name)).description)

export const siteOf = (document: Json, guides: ReadonlyArray<Guide>): Site => {
  const byTag = Map.groupBy(operationsOf(document), ({ tag }) => tag)
  const sorted = goals.map(({ groups, ...goal }) => ({
    ...goal,
    groups: groups.map(({ label, tag }) => ({
      label,
      description: tagDescription(document, tag),
      operations: (byTag.get(tag) ?? []).map((operation) => ({
        operation,
        title: titleOf(operation.summary),
        address: addressOf(operation),
        goal: goal.title,
        group: label
      }))
    }))
  }))
  return {
    document,
    guides,
    goals: sorted,
    operations: sorted.flatMap(({ groups }) => groups.flatMap(({ operations }) => operations)),
    events: Object.entries(object(document.webhooks)).flatMap(([type, item]) =>
      operationsOf({ ...document, paths: { "": item } }).map((operation) => ({ type, operation }))
    )
  }
}

/** An error response of an operation. */
export interface DocumentedError {
  readonly status: string
  readonly code: string
  readonly message: string
}

export const errorsOf = (document: Json, operation: Operation): ReadonlyArray<DocumentedError> =>
  answersOf(document, operation)
    .filter(({ status }) => !status.startsWith("2"))
    .flatMap(({ examples, status }) =>
      examples.map(([code, value]) => {
        const { error } = object(value)
        // The error of another protocol, such as JSON-RPC, is an object.
        return { status, code, message: typeof error === "string" ? error : textOf(object(error).message) }
      })
    )

/** The names of all fields within a schema. */
const fieldsOf = (document: Json, schema: unknown, depth = 0): ReadonlyArray<string> => {
  if (depth > 4) return []
  const { node } = plain(document, schema)
  const inside = Object.entries(object(node.properties))
  return [
    ...inside.flatMap(([name, inner]) => [name, ...fieldsOf(document, inner, depth + 1)]),
    ...(node.items === undefined ? [] : fieldsOf(document, node.items, depth + 1))
  ]
}

export const searchIndexOf = ({ document, events, guides, operations }: Site): ReadonlyArray<SearchEntry> => [
  ...guides.map(
    ({ about, address, headings, section, title }): SearchEntry => [
      title,
      "GUIDE",
      "",
      address,
      section,
      [about, ...headings.map(({ text }) => text)].join(" ")
    ]
  ),
  ...operations.map(({ address, group, operation, title }): SearchEntry => {
    const media = [
      ...(bodyOf(document, operation)?.media ?? []),
      ...answersOf(document, operation)
        .filter(({ status }) => status.startsWith("2"))
        .flatMap((answer) => answer.media)
    ]
    const words = new Set([
      ...parametersOf(document, operation).map(({ name }) => name),
      ...media.flatMap(({ schema }) => fieldsOf(document, schema)),
      ...errorsOf(document, operation).map(({ code }) => code),
      operation.operationId
    ])
    return [
      title,
      operation.method,
      operation.path,
      address,
      group,
      `${operation.summary} ${[...words].join(" ")}`
    ]
  }),
  ...events.map(
    ({ operation, type }): SearchEntry => [
      type,
      "EVENT",
      "",
      `/docs/events#${type}`,
      "Events",
      operation.summary
    ]
  )
]
