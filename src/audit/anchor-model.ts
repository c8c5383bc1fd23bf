import * as Schema from "effect/Schema"
import { parseId } from "../secrets/identifier.ts"
import { type EventPlace, isHead, type Known, readHead, writeHead } from "./chain-model.ts"

/**
 * What is said of an end with which something was wrong when it was anchored: it was not sealed, or the trail was not the one that was
 * anchored before.
 */
const Mark = Schema.Literal("unsealed", "contradicting")

/** A place in a company's trail, as it is anchored. */
export interface AnchoredPlace extends EventPlace {
  readonly marks: ReadonlyArray<typeof Mark.Type>
}

/** What was so of the trails of companies at one time; of those only that had moved on since the anchor before. */
interface Anchor {
  readonly at: Date
  readonly places: ReadonlyArray<AnchoredPlace>
}

/** `<company>:<position>:<hash>` for each, as `--noted` takes what follows the company, and the marks after it. */
const Line = Schema.parseJson(Schema.Struct({ at: Schema.Date, heads: Schema.Array(Schema.String) }))

const encode = Schema.encodeSync(Line)
const decode = Schema.decodeUnknownOption(Line)

/** Places in one line, at most, so that no line takes long to read. */
const longest = 1_000

export const writePlace = ({ companyId, marks, ...head }: AnchoredPlace): string =>
  [companyId, writeHead(head), ...marks].join(":")

/** What the database gives may be anything, and what is written here is asked for there later. */
const isPlace = (place: AnchoredPlace): boolean =>
  place.position > 0 && isHead(place) && parseId(place.companyId) !== undefined

/** An anchor as lines, each of which is an anchor by itself; one line at least. What can be no place is left out. */
export const writeAnchor = (anchor: Anchor): string => {
  const { at } = anchor
  const places = anchor.places.filter(isPlace)
  const lines: Array<string> = []
  do {
    const some = places.slice(lines.length * longest, (lines.length + 1) * longest)
    lines.push(encode({ at, heads: some.map(writePlace) }))
  } while (lines.length * longest < places.length)
  return lines.join("\n")
}

const readPlace = (text: string): AnchoredPlace | undefined => {
  const [companyId = "", position, hash, ...marks] = text.split(":")
  const head = readHead(`${position}:${hash}`)
  return head && marks.every(Schema.is(Mark)) ? { ...head, companyId, marks } : undefined
}

/** What a line that `writeAnchor` wrote says, or undefined when it is none. */
export const readAnchor = (line: string): Anchor | undefined => {
  const read = decode(line)
  if (read._tag === "None") return undefined
  const places = read.value.heads.map(readPlace).filter((place) => place !== undefined)
  return places.length === read.value.heads.length ? { at: read.value.at, places } : undefined
}

/** When anchors were made. */
export class AnchorTimes {
  /** When the first was made, and the last; undefined without any that can be read. */
  first: Date | undefined
  last: Date | undefined
  /** How many lines cannot be read: the writing of one was broken off, or somebody changed it. */
  unreadable = 0

  /** Takes in a line. */
  take(anchor: Anchor | undefined): void {
    if (anchor === undefined) {
      this.unreadable++
      return
    }
    const { at } = anchor
    if (this.first === undefined || at < this.first) this.first = at
    if (this.last === undefined || at > this.last) this.last = at
  }
}

/** The places of all anchors, by company. */
export class AllPlaces extends AnchorTimes {
  readonly places = new Map<string, Array<Known>>()

  override take(anchor: Anchor | undefined): void {
    super.take(anchor)
    for (const { companyId, hash, marks, position } of anchor?.places ?? []) {
      const known = this.places.get(companyId) ?? []
      this.places.set(companyId, known)
      const unsealedAt = marks.includes("unsealed") ? anchor?.at : undefined
      const same = known.findIndex((place) => place.position === position && place.hash === hash)
      if (same === -1) known.push({ position, hash, by: "anchored", unsealedAt })
      // Once it was sealed, it does not matter that it was not before.
      else if (unsealedAt === undefined) known[same] = { position, hash, by: "anchored", unsealedAt }
    }
  }
}

/** Of each company no more than what was anchored last, and the furthest place of the trail that was first anchored. */
export class LastPlaces extends AnchorTimes {
  readonly places = new Map<string, { readonly last: AnchoredPlace; readonly furthest: AnchoredPlace }>()

  override take(anchor: Anchor | undefined): void {
    super.take(anchor)
    for (const place of anchor?.places ?? []) {
      const { furthest, last } = this.places.get(place.companyId) ?? { furthest: place, last: place }
      const contradicts = place.marks.includes("contradicting")
      this.places.set(place.companyId, {
        // A process may anchor what it wrote itself after another has anchored what came later.
        last: contradicts || place.position >= last.position ? place : last,
        furthest: place.position > furthest.position && !contradicts ? place : furthest
      })
    }
  }
}
