/** The pixels of a picture that the page has sent to a worker. */

/** More pixels make nothing easier to read. */
const longEdge = 1600

/**
 * Undefined where the browser cannot draw in a worker.
 *
 * @param degrees by how much to turn it clockwise
 */
export const pixelsOf = (picture: ImageBitmap, degrees = 0): ImageData | undefined => {
  const scale = Math.min(1, longEdge / Math.max(picture.width, picture.height))
  const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)]
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })
  if (context === null) return undefined
  context.translate(width / 2, height / 2)
  context.rotate((degrees * Math.PI) / 180)
  context.drawImage(picture, -width / 2, -height / 2, width, height)
  return context.getImageData(0, 0, width, height)
}
