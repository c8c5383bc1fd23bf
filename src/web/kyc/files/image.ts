/** Redraws photos for upload: upright, of limited size, without metadata such as place, time and device. */
import type { PageConfig } from "../instances/config.ts"

export interface Picture {
  readonly blob: Blob
  readonly width: number
  readonly height: number
  /** The variance of the Laplacian of a small copy; low if blurred. */
  readonly sharpness: number
  /** Mean luminance, 0 to 255. */
  readonly brightness: number
}

export type Flaw = "qualityBlurred" | "qualityDark" | "qualityBright" | "qualitySmall"

const blurredBelow = 25
const darkBelow = 50
const brightAbove = 225

/** The worst flaw, for advice only. */
export const flawOf = (
  { brightness, height, sharpness, width }: Picture,
  minEdge: number
): Flaw | undefined => {
  if (brightness < darkBelow) return "qualityDark"
  if (brightness > brightAbove) return "qualityBright"
  if (Math.min(width, height) < minEdge) return "qualitySmall"
  return sharpness < blurredBelow ? "qualityBlurred" : undefined
}

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

const draw = (source: ImageBitmap, longestEdge: number): HTMLCanvasElement => {
  const scale = Math.min(1, longestEdge / Math.max(source.width, source.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(source.width * scale))
  canvas.height = Math.max(1, Math.round(source.height * scale))
  const context = canvas.getContext("2d")
  if (context !== null) {
    // Transparent areas would be black in a JPEG.
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

/** A browser that cannot write the type writes PNG instead. */
const encode = (canvas: HTMLCanvasElement, type: string, quality: number): Promise<Blob | null> =>
  new Promise((resolve) => canvas.toBlob(resolve, type, quality))

/** The longer edge of the measured copy, in pixels. */
const sampleEdge = 400

const writable = ["image/jpeg", "image/webp", "image/png"]

/** Quality, and share of the longest edge: a detailed picture, or a PNG, may be too large at first. */
const attempts = [
  [0.88, 1],
  [0.75, 1],
  [0.7, 0.6],
  [0.7, 0.4],
  [0.6, 0.25]
] as const

/** The part of a video that is on the screen: it covers its box, and so loses two of its edges. */
export const seenOf = (video: HTMLVideoElement): readonly [x: number, y: number, w: number, h: number] => {
  const { clientHeight, clientWidth, videoHeight, videoWidth } = video
  const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight)
  const [width, height] = [Math.round(clientWidth / scale), Math.round(clientHeight / scale)]
  return [Math.round((videoWidth - width) / 2), Math.round((videoHeight - height) / 2), width, height]
}

/** From a file or the camera, of which no more is sent than is seen; undefined if the browser cannot read or write the picture. */
export const pictureFrom = async (
  source: Blob | HTMLVideoElement,
  { maxBytes, maxEdge, mime }: PageConfig["capture"]
): Promise<Picture | undefined> => {
  let bitmap: ImageBitmap | undefined
  try {
    bitmap =
      source instanceof Blob
        ? await createImageBitmap(source, { imageOrientation: "from-image" })
        : await createImageBitmap(source, ...seenOf(source))
    const sample = draw(bitmap, sampleEdge)
    const type = writable.find((candidate) => mime.includes(candidate)) ?? "image/jpeg"
    for (const [quality, share] of attempts) {
      const canvas = draw(bitmap, maxEdge * share)
      const blob = await encode(canvas, type, quality)
      if (blob !== null && blob.size <= maxBytes) {
        return { blob, width: canvas.width, height: canvas.height, ...measure(greyOf(sample), sample.width) }
      }
    }
    return undefined
  } catch {
    // The file is no image.
    return undefined
  } finally {
    bitmap?.close()
  }
}
