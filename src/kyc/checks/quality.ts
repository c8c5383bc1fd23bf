/** Measures a photo. */
import type { Quality } from "./look-model.ts"
import type { Picture } from "./picture.ts"
import type { Grey } from "./sampling.ts"

/** From this value on, a pixel shows nothing but light. */
const white = 250

/** The variance of what the Laplacian makes of the small picture, so that it does not depend on the camera's resolution. */
const sharpnessOf = ({ data, height, width }: Grey): number => {
  let [sum, squares, count] = [0, 0, 0]
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      const value =
        4 * (data[at] ?? 0) -
        (data[at - 1] ?? 0) -
        (data[at + 1] ?? 0) -
        (data[at - width] ?? 0) -
        (data[at + width] ?? 0)
      sum += value
      squares += value * value
      count++
    }
  }
  return count === 0 ? 0 : squares / count - (sum / count) ** 2
}

const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places

export const qualityOf = (picture: Picture): Quality => {
  const { data } = picture.grey
  let [sum, whites] = [0, 0]
  for (const value of data) {
    sum += value
    if (value >= white) whites++
  }
  return {
    width: picture.width,
    height: picture.height,
    sharpness: rounded(sharpnessOf(picture.small), 1),
    brightness: rounded(sum / data.length, 1),
    glare: rounded(whites / data.length, 4)
  }
}
