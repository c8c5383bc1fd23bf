/** Which lines of text may be those of a machine-readable zone. */
import type { TextLine } from "./text-lines.ts"

export interface Candidate {
  /** From the first to the last line of the zone, if it is upright. */
  readonly lines: ReadonlyArray<TextLine>
  readonly slope: number
}

/** Where the second line is, seen from the middle of the first. */
const beside = (one: TextLine, other: TextLine) => {
  const angle = one.angle
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [dx, dy] = [other.x - one.x, other.y - one.y]
  return {
    along: dx * cos + dy * sin,
    across: dy * cos - dx * sin,
    turn: Math.atan(Math.tan(other.angle - angle))
  }
}

/** The lines of a zone are parallel, of the same length, and near each other. */
const areNeighbours = (one: TextLine, other: TextLine): boolean => {
  const { across, along, turn } = beside(one, other)
  const length = Math.max(one.length, other.length)
  return (
    Math.min(one.length, other.length) > 0.8 * length &&
    Math.abs(turn) < 0.09 &&
    Math.abs(along) < 0.1 * length &&
    Math.abs(across) > length / 45 &&
    Math.abs(across) < length / 10
  )
}

/** Lines that may be those of a zone. */
export const candidatesIn = (lines: ReadonlyArray<TextLine>): ReadonlyArray<Candidate> => {
  const long = lines.filter(({ length, thickness }) => length > 10 * thickness).slice(0, 12)
  const pairs = long.flatMap((one) =>
    long
      .filter((other) => areNeighbours(one, other) && beside(one, other).across > 0)
      .map((other) => ({ one, other }))
  )
  /** Where lines draw nearer to each other, they are farther from the camera. */
  const slopeOf = (one: TextLine, other: TextLine): number => {
    const { across, turn } = beside(one, other)
    return Math.max(-0.25, Math.min(0.25, (Math.sin(turn) * one.length) / 2 / across))
  }
  const triples = pairs.flatMap(({ one, other }) =>
    pairs
      .filter(({ one: middle }) => middle === other)
      .map(({ other: third }) => [one, other, third] as const)
  )
  return [
    ...triples.map((three) => ({ lines: three, slope: slopeOf(three[0], three[2]) })),
    ...pairs.map(({ one, other }) => ({ lines: [one, other], slope: slopeOf(one, other) }))
  ].slice(0, 6)
}
