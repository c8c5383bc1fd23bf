/** A perceptual hash: copies of a picture have nearly the same one, whatever their size, quality or format. */
import { hashBits, hashRows } from "./bands-model.ts"
import type { Picture } from "./picture.ts"

/** The side of a square, in pixels, whose mean is one value of the grid. */
const side = 8

/** A difference in brightness, out of 255, that noise and compression seldom make. */
const clear = 2

/** At least this share of the differences must be clear, or the picture has too little to tell it from others. */
const leastClear = 0.25

/**
 * In hex. Two bits say for each value of a grid whether the next one to the right is clearly brighter, and clearly darker (a dHash with a
 * threshold). Undefined if the picture is too uniform.
 */
export const hashOf = async (picture: Picture): Promise<string | undefined> => {
  const columns = hashRows + 1
  const { data } = await picture.greyFilling(columns * side, hashRows * side)
  const means = new Float64Array(columns * hashRows)
  for (let index = 0; index < data.length; index++) {
    const [x, y] = [index % (columns * side), Math.floor(index / (columns * side))]
    const at = Math.floor(y / side) * columns + Math.floor(x / side)
    means[at] = (means[at] ?? 0) + (data[index] ?? 0) / side ** 2
  }
  const bytes = Buffer.alloc(hashBits / 8)
  let clearOnes = 0
  for (let place = 0; place < hashBits / 2; place++) {
    const at = Math.floor(place / hashRows) * columns + (place % hashRows)
    const difference = (means[at + 1] ?? 0) - (means[at] ?? 0)
    if (Math.abs(difference) <= clear) continue
    clearOnes++
    const bit = 2 * place + (difference > 0 ? 0 : 1)
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7))
  }
  return clearOnes < (leastClear * hashBits) / 2 ? undefined : bytes.toString("hex")
}
