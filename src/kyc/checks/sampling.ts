/** Cuts turned rectangles out of a grey picture. */

/** One channel, by rows. */
export interface Grey {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** A rectangle, in pixels: its middle, and the direction of its width in radians; the y axis points down. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly angle: number
  readonly width: number
  readonly height: number
}

/** The value at a place between pixels. Beyond the edge, that of the edge. */
export const valueAt = ({ data, height, width }: Grey, x: number, y: number): number => {
  const [left, above] = [Math.floor(x), Math.floor(y)]
  const [right, below] = [x - left, y - above]
  const value = (column: number, row: number) =>
    data[Math.min(height - 1, Math.max(0, row)) * width + Math.min(width - 1, Math.max(0, column))] ?? 0
  return (
    (value(left, above) * (1 - right) + value(left + 1, above) * right) * (1 - below) +
    (value(left, above + 1) * (1 - right) + value(left + 1, above + 1) * right) * below
  )
}

/** What is in a box, enlarged by `scale`, with its width along the rows. */
export const cutOut = (picture: Grey, box: Box, scale: number): Grey => {
  const [width, height] = [box.width, box.height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number
  ]
  const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)]
  const samples = Math.max(1, Math.round(1 / scale))
  const data = new Uint8Array(width * height)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      let total = 0
      for (let down = 0; down < samples; down++) {
        for (let right = 0; right < samples; right++) {
          const u = (column + (right + 0.5) / samples - width / 2) / scale
          const v = (row + (down + 0.5) / samples - height / 2) / scale
          total += valueAt(picture, box.x + u * cos - v * sin - 0.5, box.y + u * sin + v * cos - 0.5)
        }
      }
      data[row * width + column] = total / (samples * samples)
    }
  }
  return { data, width, height }
}

/** The same box in a picture that is `factor` times as large. */
export const enlarged = (box: Box, factor: number): Box => ({
  x: box.x * factor,
  y: box.y * factor,
  angle: box.angle,
  width: box.width * factor,
  height: box.height * factor
})
