/** Cuts squares out of a picture, for networks that look at pictures of one size. */
import type { Colour } from "./picture.ts"

/** A square of a picture: its middle in pixels, its side in pixels, and by how much it is turned clockwise, in radians. */
export interface Square {
  readonly x: number
  readonly y: number
  readonly side: number
  readonly angle: number
}

/** How the values of a network's input are ordered: by channel, or by pixel. */
export type Order = "channels" | "pixels"

/**
 * The pixels of a square, red first, each from -1 (black) to 1 (white). Outside of the picture, all is black.
 *
 * @param size the pixels of a side of what is returned
 */
export const patchOf = (picture: Colour, square: Square, size: number, order: Order): Float32Array => {
  const { data, height, width } = picture
  const step = square.side / size
  const samples = Math.max(1, Math.round(step))
  const [cos, sin] = [Math.cos(square.angle), Math.sin(square.angle)]
  const values = new Float32Array(3 * size * size)
  const sums = [0, 0, 0]
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      sums.fill(0)
      for (let sample = 0; sample < samples * samples; sample++) {
        const u = (column + ((sample % samples) + 0.5) / samples - size / 2) * step
        const v = (row + (Math.floor(sample / samples) + 0.5) / samples - size / 2) * step
        const x = square.x + u * cos - v * sin - 0.5
        const y = square.y + u * sin + v * cos - 0.5
        const [left, above] = [Math.floor(x), Math.floor(y)]
        const [right, below] = [x - left, y - above]
        for (let corner = 0; corner < 4; corner++) {
          const [atX, atY] = [left + (corner & 1), above + (corner >> 1)]
          if (atX < 0 || atY < 0 || atX >= width || atY >= height) continue
          const weight = ((corner & 1) === 1 ? right : 1 - right) * (corner > 1 ? below : 1 - below)
          const at = 3 * (atY * width + atX)
          for (let channel = 0; channel < 3; channel++)
            sums[channel] = (sums[channel] ?? 0) + weight * (data[at + channel] ?? 0)
        }
      }
      for (let channel = 0; channel < 3; channel++) {
        const place =
          order === "channels"
            ? channel * size * size + row * size + column
            : 3 * (row * size + column) + channel
        values[place] = (sums[channel] ?? 0) / (samples * samples) / 127.5 - 1
      }
    }
  }
  return values
}

/** Where a point of a patch, from 0 to 1 from its upper left corner, is in the picture. */
export const inPicture = ({ angle, side, x, y }: Square, point: Point): Point => {
  const [u, v] = [(point.x - 0.5) * side, (point.y - 0.5) * side]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return { x: x + u * cos - v * sin, y: y + u * sin + v * cos }
}

export interface Point {
  readonly x: number
  readonly y: number
}
