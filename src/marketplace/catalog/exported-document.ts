/** Assembles a description of published APIs from the parts of their versions. */
import { type PublishedPlace, versionTag } from "./exported-names.ts"
import { members, sectionNames } from "./exported-version.ts"
import { gatewayComponents, securityScheme } from "./gateway-answers.ts"
import type { Sections } from "./model.ts"
import { componentSections } from "./openapi-grammar.ts"

export interface Part {
  readonly place: PublishedPlace
  /** The API's description; empty if there is none. */
  readonly description: string
  /** The part of its document; none without a document. */
  readonly sections: Sections
}

interface Head {
  readonly info: object
  readonly serverUrl: string
  /** Further fields of the document. */
  readonly more?: object
}

const joined = (texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join(",")

const map = (name: string, inner: string): string => `${JSON.stringify(name)}:{${inner}}`

const mapUnlessEmpty = (name: string, inner: string): string => (inner === "" ? "" : map(name, inner))

const keyOf = ({ place: { apiSlug, publisherSlug } }: Part): string => `${publisherSlug}/${apiSlug}`

const tagOf = ({ description, place }: Part): string =>
  JSON.stringify({ name: versionTag(place), ...(description === "" ? undefined : { description }) })

const sectionOf = ({ sections }: Part, name: string): string => sections[sectionNames.indexOf(name)] ?? ""

/** The document as JSON, in an order that does not depend on when the parts were made. */
export const assembled = ({ info, more = {}, serverUrl }: Head, parts: ReadonlyArray<Part>): string => {
  const sorted = parts.toSorted((left, right) => {
    const [a, b] = [keyOf(left), keyOf(right)]
    return a < b ? -1 : a > b ? 1 : 0
  })
  const all = (name: string, first = "") => joined([first, ...sorted.map((part) => sectionOf(part, name))])
  const gateway = new Map(Object.entries(gatewayComponents).map(([name, own]) => [name, members(own)]))
  const components = [...componentSections, "securitySchemes"].map((name) =>
    mapUnlessEmpty(name, all(name, gateway.get(name)))
  )
  const head = {
    openapi: "3.1.1",
    info,
    servers: [{ url: serverUrl }],
    security: [{ [securityScheme]: [] }],
    ...more
  }
  return `{${joined([
    members(head),
    `"tags":[${joined(sorted.flatMap((part) => [tagOf(part), sectionOf(part, "tags")]))}]`,
    map("paths", all("paths")),
    mapUnlessEmpty("webhooks", all("webhooks")),
    map("components", joined(components))
  ])}}`
}
