/** Assembles a description of published APIs from the parts of their versions. */
import { Array as Arr, Order } from "effect"
import { type VersionPlace, versionTag } from "./exported-names.ts"
import { type Fragment, members } from "./fragment.ts"
import { gatewayComponents, securityScheme } from "./gateway-answers.ts"
import { componentSections } from "./openapi-grammar.ts"

export interface Part {
  readonly place: Omit<VersionPlace, "upstreams">
  /** The API's description without its upstreams; empty if there is none. */
  readonly description: string
  /** The fragment of its document, if it has one. */
  readonly fragment: Fragment | undefined
}

interface Head {
  readonly info: object
  readonly serverUrl: string
  /** Further fields of the document. */
  readonly more?: object
}

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

/** Bytes to concatenate; none for what is left out. */
type Pieces = ReadonlyArray<Uint8Array>

const separated = (all: ReadonlyArray<Pieces>): Pieces =>
  all
    .filter(({ length }) => length > 0)
    .flatMap((pieces, index) => (index === 0 ? pieces : [comma, ...pieces]))

const field = (name: string, open: string, inner: Pieces, close: string): Pieces => [
  utf8.encode(`${JSON.stringify(name)}:${open}`),
  ...inner,
  utf8.encode(close)
]

const fieldUnlessEmpty = (name: string, inner: Pieces): Pieces =>
  inner.length === 0 ? [] : field(name, "{", inner, "}")

const keyOf = ({ place: { apiSlug, publisherSlug } }: Part): string => `${publisherSlug}/${apiSlug}`

const tagOf = ({ description, place }: Part): Uint8Array =>
  utf8.encode(
    JSON.stringify({ name: versionTag(place), ...(description === "" ? undefined : { description }) })
  )

const sectionOf = (fragment: Fragment | undefined, section: string): Pieces =>
  Arr.fromNullable(fragment?.get(section)).filter(({ length }) => length > 0)

const gatewaySections: Fragment = new Map(
  Object.entries(gatewayComponents).map(([section, named]) => [section, members(named)])
)

/** The document as pieces to concatenate, in an order that does not depend on when parts were made. */
export const assembled = ({ info, more = {}, serverUrl }: Head, parts: ReadonlyArray<Part>): Pieces => {
  const sorted = Arr.sortWith(parts, keyOf, Order.string)
  const all = (section: string) => sorted.map(({ fragment }) => sectionOf(fragment, section))
  const components = [...componentSections, "securitySchemes"].map((section) =>
    fieldUnlessEmpty(section, separated([sectionOf(gatewaySections, section), ...all(section)]))
  )
  const tags = separated(sorted.flatMap((part) => [[tagOf(part)], sectionOf(part.fragment, "tags")]))
  const head = members({
    openapi: "3.1.1",
    info,
    servers: [{ url: serverUrl }],
    security: [{ [securityScheme]: [] }],
    ...more
  })
  return [
    utf8.encode("{"),
    ...separated([
      [head],
      field("tags", "[", tags, "]"),
      field("paths", "{", separated(all("paths")), "}"),
      fieldUnlessEmpty("webhooks", separated(all("webhooks"))),
      field("components", "{", separated(components), "}")
    ]),
    utf8.encode("}")
  ]
}
