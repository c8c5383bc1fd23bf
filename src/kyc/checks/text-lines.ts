/** Finds the lines of text in a photo. */
import type { Network } from "./networks.ts"
import type { Colour } from "./picture.ts"

/** The middle of a line of text: from `x, y` in the direction `angle`, bent by `bend`. In pixels of the picture that was looked at. */
export interface TextLine {
  /** The middle of the line. */
  readonly x: number
  readonly y: number
  /** In radians; the y axis points down. */
  readonly angle: number
  readonly length: number
  /** How far the middle deviates from straight, as an offset of the square of the distance from the middle. */
  readonly bend: number
  readonly thickness: number
}

/** Values of ImageNet, on which the detector was trained; blue comes first. */
const means = [0.406, 0.456, 0.485]
const deviations = [0.225, 0.224, 0.229]

const tensorOf = ({ data, height, width }: Colour, columns: number, rows: number): Float32Array => {
  const values = new Float32Array(3 * columns * rows)
  for (let channel = 0; channel < 3; channel++) {
    const [mean, deviation] = [means[channel] ?? 0, deviations[channel] ?? 1]
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const value = (data[3 * (y * width + x) + 2 - channel] ?? 0) / 255
        values[channel * columns * rows + y * columns + x] = (value - mean) / deviation
      }
    }
  }
  return values
}

/** A group of pixels that touch, as sums over them. */
interface Blob {
  readonly xs: ReadonlyArray<number>
  readonly ys: ReadonlyArray<number>
}

const threshold = 0.3
const fewestPixels = 60

const blobsIn = (map: Float32Array, columns: number, rows: number): ReadonlyArray<Blob> => {
  const seen = new Uint8Array(map.length)
  const blobs: Array<Blob> = []
  for (let start = 0; start < map.length; start++) {
    if (seen[start] === 1 || (map[start] ?? 0) < threshold) continue
    const [xs, ys]: [Array<number>, Array<number>] = [[], []]
    const open = [start]
    seen[start] = 1
    while (open.length > 0) {
      const at = open.pop() ?? 0
      const [x, y] = [at % columns, Math.floor(at / columns)]
      xs.push(x)
      ys.push(y)
      for (const [nextX, nextY] of [
        [x - 1, y],
        [x + 1, y],
        [x, y - 1],
        [x, y + 1]
      ] as const) {
        const next = nextY * columns + nextX
        if (nextX < 0 || nextY < 0 || nextX >= columns || nextY >= rows) continue
        if (seen[next] === 1 || (map[next] ?? 0) < threshold) continue
        seen[next] = 1
        open.push(next)
      }
    }
    if (xs.length >= fewestPixels) blobs.push({ xs, ys })
  }
  return blobs
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const lineOf = ({ xs, ys }: Blob): TextLine => {
  const [middleX, middleY] = [mean(xs), mean(ys)]
  let [xx, xy, yy] = [0, 0, 0]
  xs.forEach((x, index) => {
    const [dx, dy] = [x - middleX, (ys[index] ?? 0) - middleY]
    xx += dx * dx
    xy += dx * dy
    yy += dy * dy
  })
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy)
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const along = xs.map((x, index) => (x - middleX) * cos + ((ys[index] ?? 0) - middleY) * sin)
  const across = xs.map((x, index) => ((ys[index] ?? 0) - middleY) * cos - (x - middleX) * sin)
  let [least, most] = [0, 0]
  for (const value of along) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  const length = most - least + 1
  const shift = (least + most) / 2
  // The middle is bent if the paper is: least squares of `across = offset + bend * along²`.
  const squares = along.map((value) => (value - shift) ** 2)
  const meanSquare = mean(squares)
  const spread = squares.reduce((sum, value) => sum + (value - meanSquare) ** 2, 0)
  const bend =
    spread === 0
      ? 0
      : squares.reduce((sum, value, index) => sum + (value - meanSquare) * (across[index] ?? 0), 0) / spread
  const offset = -bend * meanSquare
  return {
    x: middleX + shift * cos - offset * sin,
    y: middleY + shift * sin + offset * cos,
    angle,
    length,
    bend,
    thickness: xs.length / length
  }
}

/** Whether two lines are pieces of one: on the same axis, with a gap in which there is perhaps a reflection. */
const joined = (one: TextLine, other: TextLine): TextLine | undefined => {
  const [first, second] = one.length >= other.length ? [one, other] : [other, one]
  const [cos, sin] = [Math.cos(first.angle), Math.sin(first.angle)]
  const [dx, dy] = [second.x - first.x, second.y - first.y]
  const [along, across] = [dx * cos + dy * sin, dy * cos - dx * sin]
  const gap = Math.abs(along) - (first.length + second.length) / 2
  const thickness = Math.max(first.thickness, second.thickness)
  if (Math.abs(across) > 1.2 * thickness + 0.015 * Math.abs(along)) return undefined
  if (gap < -0.2 * second.length || gap > 0.25 * (first.length + second.length)) return undefined
  if (second.length > 4 * second.thickness && Math.abs(Math.sin(first.angle - second.angle)) > 0.06)
    return undefined
  const ends = [
    ...[-1, 1].map((way) => (way * first.length) / 2),
    ...[-1, 1].map((way) => along + (way * second.length) / 2)
  ]
  const [least, most] = [Math.min(...ends), Math.max(...ends)]
  const turn = Math.atan2(across * Math.sign(along), Math.abs(along))
  const share = second.length / (first.length + second.length)
  const middle = (least + most) / 2
  return {
    x: first.x + middle * cos - across * share * sin,
    y: first.y + middle * sin + across * share * cos,
    angle: first.angle + turn * Math.min(1, 2 * share),
    length: most - least,
    bend: 0,
    thickness
  }
}

/** How long a piece is at least, in widths. */
const shortestPiece = 4

/**
 * The lines of text in a picture, longest first.
 *
 * @param map by pixel, how likely it is in the middle of a line of text, 0 to 1
 */
export const linesIn = (map: Float32Array, columns: number, rows: number): ReadonlyArray<TextLine> => {
  const lines = blobsIn(map, columns, rows)
    .map(lineOf)
    .filter(({ length, thickness }) => length > shortestPiece * thickness)
    .toSorted((one, other) => other.length - one.length)
  const made: Array<TextLine> = []
  for (const line of lines) {
    const index = made.findIndex((other) => joined(other, line) !== undefined)
    const whole = index === -1 ? undefined : joined(made[index] ?? line, line)
    if (whole === undefined) made.push(line)
    else made[index] = whole
  }
  return made.toSorted((one, other) => other.length - one.length)
}

/** As `linesIn`, by the network that finds text. */
export const textLines = async (detector: Network, picture: Colour): Promise<ReadonlyArray<TextLine>> => {
  const [columns, rows] = [Math.ceil(picture.width / 32) * 32, Math.ceil(picture.height / 32) * 32]
  const { data } = await detector(tensorOf(picture, columns, rows), [1, 3, rows, columns])
  return linesIn(data, columns, rows)
}
