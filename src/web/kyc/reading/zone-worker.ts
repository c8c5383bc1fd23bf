/** Reads machine-readable zones in frames and photos beside the page, which stays responsive. Nothing of it is sent anywhere. */
import { greyOf } from "../hints/frame.ts"
import type { Answer, Question } from "./messages.ts"
import { zoneReader } from "./zone-reader.ts"

/** More pixels do not make a zone easier to read. */
const longEdge = 1600

const nothing: Answer = { fields: {}, whole: false }

const pixelsOf = (picture: ImageBitmap): ImageData | undefined => {
  const scale = Math.min(1, longEdge / Math.max(picture.width, picture.height))
  const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale))
  const context = canvas.getContext("2d", { willReadFrequently: true })
  context?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  return context?.getImageData(0, 0, canvas.width, canvas.height)
}

const load = async (address: string) => zoneReader(await (await fetch(address)).arrayBuffer())

let reader: ReturnType<typeof load> | undefined

const read = async ({ formats, needs, picture }: Question): Promise<Answer> => {
  const pixels = pixelsOf(picture)
  if (pixels === undefined) return nothing
  reader ??= load(needs)
  const { data, height, width } = pixels
  try {
    return await (await reader)({ data: greyOf(data, width, height).pixels, width, height }, formats)
  } catch {
    // The weights did not arrive. The next question asks for them again.
    reader = undefined
    return nothing
  }
}

// A dedicated worker: only the page can send it messages.
addEventListener("message", async ({ data }: MessageEvent<Question>) => postMessage(await read(data)))
