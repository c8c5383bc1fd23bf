/** A description of published APIs, put together from the parts of their versions. */
import type { VersionPlace } from "./exported-names.ts"
import { type Fragment, members } from "./fragment.ts"
import { gatewayComponents, securityScheme } from "./gateway-answers.ts"
import { componentSections } from "./openapi-grammar.ts"

export interface Part {
  readonly place: Pick<VersionPlace, "publisherSlug" | "apiSlug">
  readonly fragment: Fragment
}

interface Head {
  readonly info: object
  readonly serverUrl: string
  /** Further fields of the document. */
  readonly more?: object
}

const utf8 = new TextEncoder()
const comma = utf8.encode(",")

const joined = (texts: ReadonlyArray<Uint8Array>): Uint8Array =>
  Buffer.concat(
    texts.filter(({ length }) => length > 0).flatMap((text, index) => (index === 0 ? [text] : [comma, text]))
  )

const field = (name: string, open: string, inner: Uint8Array, close: string): Uint8Array =>
  Buffer.concat([utf8.encode(`${JSON.stringify(name)}:${open}`), inner, utf8.encode(close)])

const keyOf = ({ place: { apiSlug, publisherSlug } }: Part): string => `${publisherSlug}/${apiSlug}`

const gatewaySections = new Map(
  Object.entries(gatewayComponents).map(([section, named]) => [section, members(named)])
)

/**
 * The document of these parts, in an order that does not depend on when they were made. Nothing is parsed or written anew: it
 * takes as long as copying the bytes.
 */
export const assembled = (
  { info, more = {}, serverUrl }: Head,
  parts: ReadonlyArray<Part>
): Uint8Array<ArrayBuffer> => {
  const fragments = parts
    .map((part) => [keyOf(part), part.fragment] as const)
    .sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))
    .map(([, fragment]) => fragment)
  const all = (choose: (fragment: Fragment) => Uint8Array) => joined(fragments.map(choose))
  const none = new Uint8Array()
  const components = [...componentSections, "securitySchemes"].flatMap((section) => {
    const inner = joined([
      gatewaySections.get(section) ?? none,
      all((fragment) => fragment.components.get(section) ?? none)
    ])
    return inner.length === 0 ? [] : [field(section, "{", inner, "}")]
  })
  const webhooks = all((fragment) => fragment.webhooks)
  const head = members({
    openapi: "3.1.1",
    info,
    servers: [{ url: serverUrl }],
    security: [{ [securityScheme]: [] }],
    ...more
  })
  return Buffer.concat([
    utf8.encode("{"),
    joined([
      head,
      field(
        "tags",
        "[",
        all(({ tags }) => tags),
        "]"
      ),
      field(
        "paths",
        "{",
        all(({ paths }) => paths),
        "}"
      ),
      webhooks.length === 0 ? none : field("webhooks", "{", webhooks, "}"),
      field("components", "{", joined(components), "}")
    ]),
    utf8.encode("}")
  ])
}
