/** Cuts lines of a zone out of a photo, as the reader was trained to read them. */
import { type Grey, valueAt } from "./sampling.ts"
import type { TextLine } from "./text-lines.ts"

export const stripHeight = 32

/** Pixels from one character to the next in a strip. Capital letters are about as high. */
const pitch = 18

/** Characters of margin at each end. */
const margin = 1.2

export interface Strip {
  readonly values: Float32Array
  readonly width: number
}

/**
 * The strip of one line.
 *
 * @param line in pixels of `picture`
 * @param turned whether the text is upside down
 * @param count how many characters the line is thought to have
 * @param slope by how much the text is larger at the end of the line than at its middle, as a share
 */
export const stripOf = (
  picture: Grey,
  line: TextLine,
  turned: boolean,
  count: number,
  slope: number
): Strip => {
  // The detector's line is shorter than the text, at each end by nearly half a character.
  const step = (line.length + 0.8 * line.thickness) / (count - 0.2) / pitch
  const width = Math.ceil(((count + 2 * margin) * pitch) / 16) * 16
  const angle = line.angle + (turned ? Math.PI : 0)
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const bend = turned ? -line.bend : line.bend
  const half = line.length / 2
  const tilt = turned ? -slope : slope
  const samples = Math.max(1, Math.round(step))
  const values = new Float32Array(stripHeight * width)
  let [sum, squares] = [0, 0]
  for (let row = 0; row < stripHeight; row++) {
    for (let column = 0; column < width; column++) {
      let total = 0
      for (let down = 0; down < samples; down++) {
        for (let right = 0; right < samples; right++) {
          const straight = (column + (right + 0.5) / samples - width / 2) * step
          const size = 1 + tilt * (straight / half)
          const u = straight + (tilt * (straight * straight - half * half)) / (2 * half)
          const v = (row + (down + 0.5) / samples - stripHeight / 2) * step * size + bend * u * u
          total += valueAt(picture, line.x + u * cos - v * sin, line.y + u * sin + v * cos)
        }
      }
      const value = total / (samples * samples)
      values[row * width + column] = value
      sum += value
      squares += value * value
    }
  }
  const mean = sum / values.length
  const deviation = Math.sqrt(Math.max(0, squares / values.length - mean * mean))
  for (let index = 0; index < values.length; index++)
    values[index] = ((values[index] ?? 0) - mean) / (deviation + 4)
  return { values, width }
}
