import { Schema } from "effect"
import { parseId } from "../shared/identifier.ts"
import { type EventPlace, isHead, type Known, readHead, writeHead } from "./chain-model.ts"

/** The sealed ends of the trails that have grown since the previous anchor. */
interface Anchor {
  readonly at: Date
  readonly ends: ReadonlyArray<EventPlace>
}

/** Each head is `<company>:<position>:<hash>`. */
const Line = Schema.parseJson(Schema.Struct({ at: Schema.Date, heads: Schema.Array(Schema.String) }))

const encode = Schema.encodeSync(Line)
const decode = Schema.decodeUnknownOption(Line)

/** Ends in a line, so that no line takes long to read. */
const longest = 1_000

/** `<company>:<position>:<hash>`, as `audit seal` lists and takes it. */
export const writeEnd = ({ companyId, ...head }: EventPlace): string => `${companyId}:${writeHead(head)}`

/** The database may return anything, and these values are later sent back to it in queries. */
const isEnd = (end: EventPlace): boolean =>
  end.position > 0 && isHead(end) && parseId(end.companyId) !== undefined

/** Undefined if the text is malformed. */
export const readEnd = (text: string): EventPlace | undefined => {
  const [companyId = "", ...rest] = text.split(":")
  const head = readHead(rest.join(":"))
  const end = head && { ...head, companyId }
  return end !== undefined && isEnd(end) ? end : undefined
}

/** Lines, each an anchor by itself, without invalid ends. */
export const writeAnchor = ({ at, ends }: Anchor): string => {
  const heads = ends.filter(isEnd).map(writeEnd)
  const lines = Array.from({ length: Math.ceil(heads.length / longest) }, (_, i) =>
    encode({ at, heads: heads.slice(i * longest, (i + 1) * longest) })
  )
  return lines.join("\n")
}

/** Undefined if the line is malformed. */
const readAnchor = (line: string): Anchor | undefined => {
  const read = decode(line)
  if (read._tag === "None") return undefined
  const ends = read.value.heads.map(readEnd).filter((end) => end !== undefined)
  return ends.length === read.value.heads.length ? { at: read.value.at, ends } : undefined
}

/** What all anchors say. */
export class Anchors {
  /** Undefined if no anchor is readable. */
  first: Date | undefined
  last: Date | undefined
  /** Lines whose write was interrupted, or that somebody changed. */
  unreadable = 0
  /** By company. */
  readonly places = new Map<string, Array<Known>>()

  addLine(line: string): void {
    const anchor = readAnchor(line)
    if (anchor === undefined) {
      this.unreadable++
      return
    }
    const { at, ends } = anchor
    if (this.first === undefined || at < this.first) this.first = at
    if (this.last === undefined || at > this.last) this.last = at
    for (const { companyId, hash, position } of ends) {
      const known = this.places.get(companyId) ?? []
      this.places.set(companyId, known)
      if (!known.some((place) => place.position === position && place.hash === hash))
        known.push({ position, hash, by: "anchored" })
    }
  }
}
