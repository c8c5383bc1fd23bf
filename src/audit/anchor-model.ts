import * as Schema from "effect/Schema"
import { type Head, type Known, type KnownPlaces, readHead, writeHead } from "./chain-model.ts"

/** Where the trails of companies ended at one time; of those only that had moved on since the anchor before. */
export interface Anchor {
  readonly at: Date
  readonly heads: ReadonlyMap<string, Head>
}

/** `<company>:<position>:<hash>` for each, as `--noted` takes what follows the company. */
const Line = Schema.parseJson(Schema.Struct({ at: Schema.Date, heads: Schema.Array(Schema.String) }))

const encode = Schema.encodeSync(Line)
const decode = Schema.decodeUnknownOption(Line)

export const writeAnchor = ({ at, heads }: Anchor): string =>
  encode({ at, heads: [...heads].map(([companyId, head]) => `${companyId}:${writeHead(head)}`) })

/** What `writeAnchor` wrote, or undefined when it is none. */
export const readAnchor = (text: string): Anchor | undefined => {
  const line = decode(text)
  if (line._tag === "None") return undefined
  const heads = new Map<string, Head>()
  for (const entry of line.value.heads) {
    const companyId = entry.slice(0, 36)
    const head = readHead(entry.slice(37))
    if (head === undefined) return undefined
    heads.set(companyId, head)
  }
  return { at: line.value.at, heads }
}

/** All that anchors say. */
export interface Anchored {
  /** When the first was made, and the last. */
  readonly first: Date | undefined
  readonly last: Date | undefined
  readonly places: KnownPlaces
  /** How many cannot be read: the writing of one was broken off, or somebody changed it. */
  readonly unreadable: number
}

export const anchoredBy = (texts: ReadonlyArray<string>): Anchored => {
  const anchors = texts.map(readAnchor).filter((anchor) => anchor !== undefined)
  const places = new Map<string, Array<Known>>()
  for (const { heads } of anchors) {
    for (const [companyId, head] of heads) {
      const known = places.get(companyId)
      const place: Known = { ...head, by: "anchored" }
      if (known === undefined) places.set(companyId, [place])
      else known.push(place)
    }
  }
  const times = anchors.map(({ at }) => at.getTime())
  return {
    first: times.length === 0 ? undefined : new Date(Math.min(...times)),
    last: times.length === 0 ? undefined : new Date(Math.max(...times)),
    places,
    unreadable: texts.length - anchors.length
  }
}
