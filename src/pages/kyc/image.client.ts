/**
 * Photos as they are sent: upright, of a bounded size, and drawn anew, so that nothing of the camera's metadata (place, time,
 * device) goes along. What is said about their quality is advice.
 */

export interface Picture {
  readonly blob: Blob
  readonly width: number
  readonly height: number
  /** Variance of the Laplacian on a small copy: low for a blurred picture. */
  readonly sharpness: number
  /** Mean luminance, 0 to 255. */
  readonly brightness: number
}

export type Flaw = "qualityBlurred" | "qualityDark" | "qualityBright" | "qualitySmall"

const blurredBelow = 25
const darkBelow = 50
const brightAbove = 225

/** What there is to say against a picture, the worst first. */
export const flawOf = (
  { brightness, height, sharpness, width }: Picture,
  minEdge: number
): Flaw | undefined => {
  if (brightness < darkBelow) return "qualityDark"
  if (brightness > brightAbove) return "qualityBright"
  if (Math.min(width, height) < minEdge) return "qualitySmall"
  return sharpness < blurredBelow ? "qualityBlurred" : undefined
}

/** Mean luminance and sharpness of grey values, row by row. */
export const measure = (grey: Float32Array, width: number): Pick<Picture, "brightness" | "sharpness"> => {
  const at = (index: number) => grey[index] ?? 0
  let sum = 0
  let edges = 0
  let squares = 0
  let count = 0
  for (let i = 0; i < grey.length; i++) {
    sum += at(i)
    const column = i % width
    if (i < width || i >= grey.length - width || column === 0 || column === width - 1) continue
    const edge = 4 * at(i) - at(i - 1) - at(i + 1) - at(i - width) - at(i + width)
    edges += edge
    squares += edge * edge
    count++
  }
  const mean = count === 0 ? 0 : edges / count
  return {
    brightness: Math.round(sum / Math.max(1, grey.length)),
    sharpness: Math.round((count === 0 ? 0 : squares / count - mean * mean) * 10) / 10
  }
}

type Source = HTMLVideoElement | ImageBitmap

const sizeOf = (source: Source): readonly [width: number, height: number] =>
  source instanceof HTMLVideoElement ? [source.videoWidth, source.videoHeight] : [source.width, source.height]

const draw = (source: Source, longestEdge: number): HTMLCanvasElement => {
  const [width, height] = sizeOf(source)
  const scale = Math.min(1, longestEdge / Math.max(width, height, 1))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  canvas.getContext("2d")?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return canvas
}

const greyOf = (canvas: HTMLCanvasElement): Float32Array => {
  const pixels =
    canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? new Uint8ClampedArray()
  const at = (index: number) => pixels[index] ?? 0
  return Float32Array.from(
    { length: pixels.length / 4 },
    (_, i) => 0.299 * at(i * 4) + 0.587 * at(i * 4 + 1) + 0.114 * at(i * 4 + 2)
  )
}

const encode = (canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality))

/** The edge of the copy that is measured. */
const sampleEdge = 400

/** A picture of a source, no larger than asked; undefined when the browser cannot make one. */
const pictureOf = async (source: Source, maxEdge: number, maxBytes: number): Promise<Picture | undefined> => {
  const sample = draw(source, sampleEdge)
  // A picture full of detail may be too large at the first try.
  for (const [quality, edge] of [
    [0.88, maxEdge],
    [0.75, maxEdge],
    [0.7, maxEdge * 0.6]
  ] as const) {
    const canvas = draw(source, edge)
    const blob = await encode(canvas, quality)
    if (blob !== null && blob.size <= maxBytes) {
      return { blob, width: canvas.width, height: canvas.height, ...measure(greyOf(sample), sample.width) }
    }
  }
  return undefined
}

interface Bounds {
  readonly maxEdge: number
  readonly maxBytes: number
}

/** The picture in a file, upright; undefined when it is none that the browser can read. */
export const fromFile = async (file: Blob, { maxBytes, maxEdge }: Bounds): Promise<Picture | undefined> => {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" })
    const picture = await pictureOf(bitmap, maxEdge, maxBytes)
    bitmap.close()
    return picture
  } catch {
    return undefined
  }
}

/** What the camera shows at this moment. */
export const fromVideo = (
  video: HTMLVideoElement,
  { maxBytes, maxEdge }: Bounds
): Promise<Picture | undefined> => pictureOf(video, maxEdge, maxBytes)
