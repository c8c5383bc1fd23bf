import { Schema } from "effect"
import { parseId } from "../shared/identifier.ts"
import { type EventPlace, isHead, type Known, readHead, writeHead } from "./chain-model.ts"

/** What was wrong with an anchored end: it had no seal, or contradicted the trail's earlier anchors. */
const Mark = Schema.Literal("unsealed", "contradicting")

export interface AnchoredPlace extends EventPlace {
  readonly marks: ReadonlyArray<typeof Mark.Type>
}

/** The ends of the trails that have grown or changed since the previous anchor. */
interface Anchor {
  readonly at: Date
  readonly places: ReadonlyArray<AnchoredPlace>
}

/** `<company>:<position>:<hash>` and the marks of each place. `--noted` takes `<position>:<hash>`. */
const Line = Schema.parseJson(Schema.Struct({ at: Schema.Date, heads: Schema.Array(Schema.String) }))

const encode = Schema.encodeSync(Line)
const decode = Schema.decodeUnknownOption(Line)

/** Places in a line, so that no line takes long to read. */
const longest = 1_000

export const writePlace = ({ companyId, marks, ...head }: AnchoredPlace): string =>
  [companyId, writeHead(head), ...marks].join(":")

/** The database may return anything, and these values are later sent back to it in queries. */
const isPlace = (place: AnchoredPlace): boolean =>
  place.position > 0 && isHead(place) && parseId(place.companyId) !== undefined

/** One or more lines, each an anchor by itself, without invalid places. */
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

/** The end of a trail, as `audit seal` lists it: a place without marks. Undefined if the text is malformed. */
export const readEnd = (text: string): EventPlace | undefined => {
  const place = readPlace(text)
  return place !== undefined && place.marks.length === 0 && isPlace(place) ? place : undefined
}

/** Undefined if the line is malformed. */
export const readAnchor = (line: string): Anchor | undefined => {
  const read = decode(line)
  if (read._tag === "None") return undefined
  const places = read.value.heads.map(readPlace).filter((place) => place !== undefined)
  return places.length === read.value.heads.length ? { at: read.value.at, places } : undefined
}

export class AnchorTimes {
  /** Undefined if no anchor is readable. */
  first: Date | undefined
  last: Date | undefined
  /** Lines whose write was interrupted, or that somebody changed. */
  unreadable = 0

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
      // The place was sealed later.
      else if (unsealedAt === undefined) known[same] = { position, hash, by: "anchored", unsealedAt }
    }
  }
}

/** For each company the place anchored last, and the furthest of the trail that was anchored first. */
export class LastPlaces extends AnchorTimes {
  readonly places = new Map<string, { readonly last: AnchoredPlace; readonly furthest: AnchoredPlace }>()

  override take(anchor: Anchor | undefined): void {
    super.take(anchor)
    for (const place of anchor?.places ?? []) {
      const { furthest, last } = this.places.get(place.companyId) ?? { furthest: place, last: place }
      const contradicts = place.marks.includes("contradicting")
      this.places.set(place.companyId, {
        // A process may anchor its own events after another process has anchored later ones.
        last: contradicts || place.position >= last.position ? place : last,
        furthest: place.position > furthest.position && !contradicts ? place : furthest
      })
    }
  }
}
