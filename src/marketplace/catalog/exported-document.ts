/** Assembles a description of published APIs from the parts of their versions. */
import { type PublishedPlace, versionTag } from "./exported-names.ts"
import { members, sectionNames } from "./exported-version.ts"
import { gatewayComponents, securityScheme } from "./gateway-answers.ts"
import { componentSections } from "./openapi-grammar.ts"

/** Text, or what is stored, in UTF-8. */
type Piece = string | Uint8Array

export interface Part {
  readonly place: PublishedPlace
  /** The API's description; empty if there is none. */
  readonly description: string
  /** The part of its document, see `sectionNames`; none without a document. */
  readonly sections: ReadonlyArray<Piece>
}

interface Head {
  readonly info: object
  readonly serverUrl: string
  /** Further fields of the document. */
  readonly more?: object
}

/** To concatenate; empty for what is left out. */
type Pieces = ReadonlyArray<Piece>

const comma = Buffer.from(",")

/** With commas between them. */
const listed = (pieces: Pieces): Pieces =>
  pieces.filter(({ length }) => length > 0).flatMap((piece, index) => (index === 0 ? piece : [comma, piece]))

const mapOf = (name: string, inner: Pieces): Pieces => [`${JSON.stringify(name)}:{`, ...inner, "}"]

const tagOf = ({ description, place }: Part): string =>
  JSON.stringify({ name: versionTag(place), ...(description === "" ? undefined : { description }) })

/** The document as JSON, in an order that does not depend on when the parts were made. */
export const assembled = ({ info, more = {}, serverUrl }: Head, parts: ReadonlyArray<Part>): Buffer => {
  const sorted = parts
    .map((part) => ({ part, key: `${part.place.publisherSlug}/${part.place.apiSlug}` }))
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
    .map(({ part }) => part)
  const all = (name: string, first = ""): Pieces => {
    const index = sectionNames.indexOf(name)
    return listed([first, ...sorted.map(({ sections }) => sections[index] ?? "")])
  }
  const access = { servers: [{ url: serverUrl }], security: [{ [securityScheme]: [] }] }
  const gateways = new Map(Object.entries(gatewayComponents).map(([name, own]) => [name, members(own)]))
  const components = [...gateways.keys(), ...componentSections.filter((name) => !gateways.has(name))]
    .map((name) => ({ name, inner: all(name, gateways.get(name)) }))
    .filter(({ inner }) => inner.length > 0)
  const webhooks = all("webhooks")
  const pieces = [
    `{${members({ openapi: "3.1.1", info, ...access, ...more })},"tags":[`,
    ...listed(sorted.flatMap((part) => [tagOf(part), part.sections[0] ?? ""])),
    "],",
    ...mapOf("paths", all("paths")),
    comma,
    ...(webhooks.length === 0 ? [] : [...mapOf("webhooks", webhooks), comma]),
    ...mapOf(
      "components",
      components.flatMap(({ inner, name }, index) => [...(index === 0 ? [] : [comma]), ...mapOf(name, inner)])
    ),
    "}"
  ]
  return Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)))
}
