/** Looks for the machine-readable zone in a photo. */
import type { Networks } from "./networks.ts"
import { type Box, cutOut, type Grey } from "./sampling.ts"
import { type TextLine, textLines } from "./text-lines.ts"
import { type Candidate, candidatesIn } from "./zone-candidates.ts"
import { isBetter, isZone, readCandidate, type ScoredReading, type ZoneReading } from "./zone-reading.ts"

/**
 * The long edge of what the detector sees, whose time grows with the area: of the text in a photo, of the same text if no zone was found in it,
 * and of what may be a zone.
 */
const edges = { text: 640, detail: 960, zone: 1280 } as const

/** Enlarging a photo further shows nothing more. */
const mostEnlarged = 2

/** A line that was found in what was cut out of a picture, in pixels of the picture. */
const placed = (line: TextLine, cut: Grey, box: Box, scale: number): TextLine => {
  const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)]
  const [u, v] = [(line.x + 0.5 - cut.width / 2) / scale, (line.y + 0.5 - cut.height / 2) / scale]
  return {
    x: box.x + u * cos - v * sin,
    y: box.y + u * sin + v * cos,
    angle: line.angle + box.angle,
    length: line.length / scale,
    bend: line.bend * scale,
    thickness: line.thickness / scale
  }
}

/** The lines of text in a part of a picture. */
const linesFound = async (
  { detector }: Networks,
  picture: Grey,
  box: Box,
  edge: number
): Promise<ReadonlyArray<TextLine>> => {
  const scale = Math.min(mostEnlarged, edge / Math.max(box.width, box.height))
  const cut = cutOut(picture, box, scale)
  return (await textLines(detector, cut)).map((line) => placed(line, cut, box, scale))
}

/** Around the lines of what may be a zone, with a margin in which the detector sees where they end. */
const boxAround = (lines: ReadonlyArray<TextLine>): Box => {
  const [first, last] = [lines[0], lines.at(-1)]
  if (first === undefined || last === undefined) return { x: 0, y: 0, angle: 0, width: 1, height: 1 }
  const apart = Math.hypot(last.x - first.x, last.y - first.y) / (lines.length - 1)
  return {
    x: (first.x + last.x) / 2,
    y: (first.y + last.y) / 2,
    angle: first.angle,
    width: 1.2 * Math.max(first.length, last.length),
    height: (lines.length + 4) * apart
  }
}

/** The same rectangle, for text in the other direction. */
const acrossOf = ({ angle, height, width, x, y }: Box): Box => ({
  x,
  y,
  angle: angle + Math.PI / 2,
  width: height,
  height: width
})

/** In thicknesses. A reflection may split the line of a zone. */
const [shortLine, longLine] = [10, 30]
const mostLongLines = 8

/** Lines of text, how many of them are as long as a line of a zone or a piece of one, and whether any is like text at all. */
interface LinesSeen {
  readonly long: number
  readonly any: boolean
}

/**
 * The zone in a photo, in whatever direction it is turned; undefined if none is found.
 *
 * @param text where there is text, in pixels of `picture`
 * @param thisYear to tell the century of a birth
 */
export const readZone = async (
  networks: Networks,
  picture: Grey,
  text: Box,
  thisYear: number
): Promise<ZoneReading | undefined> => {
  const expected = { thisYear, formats: ["TD1", "TD2", "TD3"], mayBeTurned: true } as const
  let best: ScoredReading | undefined
  let where: Candidate | undefined
  const readIn = async (box: Box, edge: number): Promise<LinesSeen> => {
    const found = await linesFound(networks, picture, box, edge)
    for (const candidate of candidatesIn(found)) {
      const reading = await readCandidate(networks.reader, picture, candidate, expected)
      if (reading === undefined || !isBetter(reading, best)) continue
      best = reading
      where = candidate
      if (best.zone.wrong.length === 0) break
    }
    const longerThan = (thicknesses: number) =>
      found.filter(({ length, thickness }) => length > thicknesses * thickness).length
    return { long: longerThan(longLine), any: longerThan(shortLine) > 0 }
  }
  /** More looks, if the first did not find all. */
  const lookAgain = async (seen: LinesSeen): Promise<void> => {
    // A page full of long lines has no zone.
    if (where === undefined && seen.long > mostLongLines) return
    // The text may run in the other direction.
    if (where === undefined && seen.long === 0) await readIn(acrossOf(text), edges.text)
    if (where === undefined && seen.any) await readIn(text, edges.detail)
    if (where !== undefined && best?.zone.wrong.length !== 0) await readIn(boxAround(where.lines), edges.zone)
  }
  const seen = await readIn(text, edges.text)
  if (best?.zone.wrong.length !== 0) await lookAgain(seen)
  return best !== undefined && isZone(best) ? best : undefined
}
