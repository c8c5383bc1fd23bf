/**
 * Finds lines that may be those of a machine-readable zone: long stripes in which dark and light change all the time. Cheap enough for each
 * frame of a camera; text that stands upright or upside down is not found.
 */
import type { Grey } from "./picture.ts"
import { linesIn, type TextLine } from "./text-lines.ts"

/** The width at which lines are looked for, in pixels. A character of a passport's zone is then about 11 wide. */
const wide = 640

/** Between two characters and within a wide one nothing changes: so many pixels are looked at together. */
const together = 25

/** The largest picture of at most `most` columns whose pixels are the means of squares of pixels. */
const reduced = (
  { data, height, width }: Grey,
  most: number
): { readonly grey: Grey; readonly by: number } => {
  const by = Math.max(1, Math.ceil(width / most))
  const [columns, rows] = [Math.floor(width / by), Math.floor(height / by)]
  const made = new Uint8Array(columns * rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0
      for (let y = row * by; y < (row + 1) * by; y++) {
        for (let x = column * by; x < (column + 1) * by; x++) sum += data[y * width + x] as number
      }
      made[row * columns + column] = sum / (by * by)
    }
  }
  return { grey: { data: made, width: columns, height: rows }, by }
}

/** The mean over `size` values around each, along lines of `length` values that are `step` apart. */
const smoothed = (
  values: Float32Array,
  lines: number,
  lineStep: number,
  length: number,
  step: number,
  size: number
): Float32Array => {
  const made = new Float32Array(values.length)
  const half = Math.floor(size / 2)
  for (let line = 0; line < lines; line++) {
    const start = line * lineStep
    let sum = 0
    for (let at = -half; at < length; at++) {
      if (at + half < length) sum += values[start + (at + half) * step] as number
      if (at - half - 1 >= 0) sum -= values[start + (at - half - 1) * step] as number
      if (at >= 0) made[start + at * step] = sum / size
    }
  }
  return made
}

/** How much changes from left to right around each pixel. */
const changes = ({ data, height, width }: Grey): Float32Array => {
  const changed = new Float32Array(width * height)
  for (let row = 0; row < height; row++) {
    for (let column = 1; column < width - 1; column++) {
      const at = row * width + column
      changed[at] = Math.min(60, Math.abs((data[at + 1] as number) - (data[at - 1] as number)))
    }
  }
  const across = smoothed(changed, height, width, width, 1, together)
  return smoothed(across, width, 1, height, width, 3)
}

/** The value that so large a share of all values do not exceed. */
const quantile = (values: Float32Array, share: number): number => {
  const counts = new Uint32Array(256)
  for (const value of values) {
    const at = Math.min(255, Math.round(4 * value))
    counts[at] = (counts[at] ?? 0) + 1
  }
  let left = share * values.length
  for (const [value, count] of counts.entries()) {
    left -= count
    if (left <= 0) return value / 4
  }
  return 64
}

/** In pixels of the picture, longest first. */
export const zoneLines = (picture: Grey): ReadonlyArray<TextLine> => {
  const { by, grey } = reduced(picture, wide)
  const changed = changes(grey)
  const most = Math.max(6, quantile(changed, 0.97))
  const map = changed.map((value) => (0.6 * value) / most)
  return linesIn(map, grey.width, grey.height).map((line) => ({
    ...line,
    x: (line.x + 0.5) * by,
    y: (line.y + 0.5) * by,
    // At each end, half of what is looked at together lies beside the text. `TextLine` is shorter than its text by 0.8 of its thickness.
    length: Math.max(1, line.length - 0.3 * together - 0.8 * line.thickness) * by,
    bend: line.bend / by,
    thickness: line.thickness * by
  }))
}
