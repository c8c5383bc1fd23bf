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
  const context = canvas.getContext("2d")
  if (context !== null) {
    // What can be seen through would be black in a JPEG.
    context.fillStyle = "#ffffff"
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(source, 0, 0, canvas.width, canvas.height)
  }
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

/** A browser that does not write a type writes PNG instead. */
const encode = (canvas: HTMLCanvasElement, type: string, quality: number): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, type, quality))

/** The edge of the copy that is measured. */
const sampleEdge = 400

/** What there may be of a picture. */
export interface Bounds {
  /** Pixels of the longer edge. */
  readonly maxEdge: number
  readonly maxBytes: number
  /** Types that are accepted. */
  readonly mime: ReadonlyArray<string>
}

/** What pictures are written as, the smallest for their quality first. */
const writable = ["image/jpeg", "image/webp", "image/png"]

/** A picture of a source, no larger than asked; undefined when the browser cannot make one. */
const pictureOf = async (
  source: Source,
  { maxBytes, maxEdge, mime }: Bounds
): Promise<Picture | undefined> => {
  const sample = draw(source, sampleEdge)
  const type = writable.find((candidate) => mime.includes(candidate)) ?? "image/jpeg"
  // A picture full of detail, or one that is kept whole as PNG is, may be too large at the first try.
  for (const [quality, share] of [
    [0.88, 1],
    [0.75, 1],
    [0.7, 0.6],
    [0.7, 0.4],
    [0.6, 0.25]
  ] as const) {
    const canvas = draw(source, maxEdge * share)
    const blob = await encode(canvas, type, quality)
    if (blob !== null && blob.size <= maxBytes) {
      return { blob, width: canvas.width, height: canvas.height, ...measure(greyOf(sample), sample.width) }
    }
  }
  return undefined
}

/** The picture in a file, upright; undefined when it is none that the browser can read. */
export const fromFile = async (file: Blob, bounds: Bounds): Promise<Picture | undefined> => {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" })
    const picture = await pictureOf(bitmap, bounds)
    bitmap.close()
    return picture
  } catch {
    return undefined
  }
}

/** What the camera shows at this moment. */
export const fromVideo = (video: HTMLVideoElement, bounds: Bounds): Promise<Picture | undefined> =>
  pictureOf(video, bounds)
