/** Where a photo has fine detail: tells cheaply which part of it has text, how the text runs, and where a PDF417 may be. */
import type { Box, Grey } from "./sampling.ts"

/** In pixels of the picture that is looked at. */
const cell = 4

/** Sums over the gradients of the pixels of each cell. */
export interface Texture {
  readonly columns: number
  readonly rows: number
  readonly xx: Float32Array
  readonly xy: Float32Array
  readonly yy: Float32Array
}

export const textureOf = ({ data, height, width }: Grey): Texture => {
  const [columns, rows] = [Math.floor(width / cell), Math.floor(height / cell)]
  const sums = () => new Float32Array(columns * rows)
  const [xx, xy, yy] = [sums(), sums(), sums()]
  for (let y = 1; y < Math.min(rows * cell, height - 1); y++) {
    const row = Math.floor(y / cell) * columns
    for (let x = 1; x < Math.min(columns * cell, width - 1); x++) {
      const at = y * width + x
      const across = (data[at + 1] ?? 0) - (data[at - 1] ?? 0)
      const down = (data[at + width] ?? 0) - (data[at - width] ?? 0)
      const index = row + Math.floor(x / cell)
      xx[index] = (xx[index] ?? 0) + across * across
      xy[index] = (xy[index] ?? 0) + across * down
      yy[index] = (yy[index] ?? 0) + down * down
    }
  }
  return { columns, rows, xx, xy, yy }
}

interface Place {
  readonly x: number
  readonly y: number
}

/** The share of cells that have the finest detail. It is what is printed rather than the table. */
const detailedShare = 0.15

/** The mean square of a gradient in a cell with detail, at least. */
const leastEnergy = 60

/** So many of a cell and its eight neighbours have detail, or the cell is at an edge, as that of a card, and not in text. */
const leastNeighbours = 7

/** The cells that are in an area of fine detail. */
const detailedCells = ({ columns, rows, xx, yy }: Texture): ReadonlyArray<Place> => {
  const energy = xx.map((value, index) => value + (yy[index] ?? 0))
  const least = Math.max(
    leastEnergy * cell * cell,
    energy.toSorted()[Math.floor((1 - detailedShare) * energy.length)] ?? 0
  )
  const cells: Array<Place> = []
  for (let y = 1; y < rows - 1; y++) {
    for (let x = 1; x < columns - 1; x++) {
      let neighbours = 0
      for (const row of [y - 1, y, y + 1]) {
        for (const column of [x - 1, x, x + 1]) {
          if ((energy[row * columns + column] ?? 0) > least) neighbours++
        }
      }
      if (neighbours >= leastNeighbours) cells.push({ x, y })
    }
  }
  return cells
}

/** Degrees between the directions that are tried. */
const step = 3

/** The direction in which cells make the sharpest rows. */
const directionOf = (cells: ReadonlyArray<Place>, { columns, rows }: Texture): number => {
  let [sharpest, direction] = [-1, 0]
  const diagonal = Math.ceil(Math.hypot(columns, rows))
  for (let degrees = -90; degrees < 90; degrees += step) {
    const angle = (degrees * Math.PI) / 180
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const profile = new Float32Array(2 * diagonal + 2)
    for (const { x, y } of cells) {
      const place = y * cos - x * sin + diagonal
      const at = Math.floor(place)
      // Shared by two rows: at 45 degrees, whole cells would fall into every other row.
      profile[at] = (profile[at] ?? 0) + 1 - (place - at)
      profile[at + 1] = (profile[at + 1] ?? 0) + place - at
    }
    let sharpness = 0
    for (let at = 1; at < profile.length; at++)
      sharpness += ((profile[at] ?? 0) - (profile[at - 1] ?? 0)) ** 2
    if (sharpness > sharpest) [sharpest, direction] = [sharpness, angle]
  }
  return direction
}

/** From the smallest to the largest, without the share `trimmed` at each end. */
const rangeOf = (values: Float32Array, trimmed: number): readonly [number, number] => {
  const sorted = values.toSorted()
  const [first, last] = [trimmed, 1 - trimmed].map(
    (share) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  )
  return [first ?? 0, last ?? 0]
}

/** The rectangle around cells, in pixels, with a margin. */
const boxAround = (cells: ReadonlyArray<Place>, angle: number, trimmed: number, margin: number): Box => {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [left, right] = rangeOf(
    Float32Array.from(cells, ({ x, y }) => x * cos + y * sin),
    trimmed
  )
  const [above, below] = rangeOf(
    Float32Array.from(cells, ({ x, y }) => y * cos - x * sin),
    trimmed
  )
  const [u, v] = [(left + right) / 2, (above + below) / 2]
  return {
    x: cell * (u * cos - v * sin + 0.5),
    y: cell * (u * sin + v * cos + 0.5),
    angle,
    width: cell * (right - left + 1) + 2 * margin,
    height: cell * (below - above + 1) + 2 * margin
  }
}

const fewestCells = 60
const textMargin = 24

/** Where there is text, if there is any, its width in the direction in which the text runs, from -π/2 to π/2. */
export const textBox = (texture: Texture): Box | undefined => {
  const cells = detailedCells(texture)
  if (cells.length < fewestCells) return undefined
  return boxAround(cells, directionOf(cells, texture), 0.005, textMargin)
}

/** Cells along the side of a block. */
const block = 4

interface Block extends Place {
  /** Twice the direction of the gradients, as a vector. */
  readonly cos: number
  readonly sin: number
  readonly energy: number
}

/** Where the neighbours of a block are. In between may be one block that is different, such as that of a wide bar. */
const near = [-2, -1, 0, 1, 2].flatMap((dx) => [-2, -1, 0, 1, 2].map((dy) => [dx, dy] as const))

/** The share of the gradients that have one direction, in a block of a PDF417. */
const leastCoherence = 0.3
const leastBarEnergy = 500
/** The cosine of twice the angle between neighbours, at least. */
const alike = 0.8
const fewestBlocks = 20
const thinnest = 48
/** The share of the rectangle around an area that belongs to the area. */
const leastFilled = 0.6
const mostBoxes = 2

/** Where a PDF417 may be: areas full of parallel bars, the largest first. The width is across the bars. */
export const stripeBoxes = ({ columns, rows, xx, xy, yy }: Texture): ReadonlyArray<Box> => {
  const [across, down] = [Math.floor(columns / block), Math.floor(rows / block)]
  const blocks = new Map<number, Block>()
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      let [sumXX, sumXY, sumYY] = [0, 0, 0]
      for (let row = y * block; row < (y + 1) * block; row++) {
        for (let column = x * block; column < (x + 1) * block; column++) {
          const index = row * columns + column
          sumXX += xx[index] ?? 0
          sumXY += xy[index] ?? 0
          sumYY += yy[index] ?? 0
        }
      }
      const energy = (sumXX + sumYY) / (cell * block) ** 2
      const length = Math.hypot(sumXX - sumYY, 2 * sumXY)
      if (energy < leastBarEnergy || length < leastCoherence * (sumXX + sumYY)) continue
      blocks.set(y * across + x, { x, y, energy, cos: (sumXX - sumYY) / length, sin: (2 * sumXY) / length })
    }
  }
  const groups: Array<ReadonlyArray<Block>> = []
  for (const start of [...blocks.keys()]) {
    const first = blocks.get(start)
    if (first === undefined) continue
    blocks.delete(start)
    const group = [first]
    for (const one of group) {
      for (const [dx, dy] of near) {
        const key = (one.y + dy) * across + one.x + dx
        const next = blocks.get(key)
        if (next?.x !== one.x + dx || one.cos * next.cos + one.sin * next.sin < alike) continue
        blocks.delete(key)
        group.push(next)
      }
    }
    if (group.length >= fewestBlocks) groups.push(group)
  }
  return groups
    .toSorted((one, other) => other.length - one.length)
    .map((group) => {
      const sum = (part: (one: Block) => number) => group.reduce((total, one) => total + part(one), 0)
      const angle =
        Math.atan2(
          sum(({ energy, sin }) => energy * sin),
          sum(({ cos, energy }) => energy * cos)
        ) / 2
      const middles = group.map(({ x, y }) => ({ x: (x + 0.5) * block - 0.5, y: (y + 0.5) * block - 0.5 }))
      const margin = cell * block
      const box = boxAround(middles, angle, 0.01, margin)
      const [width, height] = [box.width - margin, box.height - margin]
      return {
        box,
        thickness: Math.min(width, height),
        filled: (group.length * margin ** 2) / width / height
      }
    })
    .filter(({ filled, thickness }) => thickness > thinnest && filled > leastFilled)
    .slice(0, mostBoxes)
    .map(({ box }) => box)
}
