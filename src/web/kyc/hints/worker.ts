/** Looks at the camera's frames beside the page, which stays responsive. Nothing of it is sent anywhere. */
import { kycTimes, sleep } from "../../timing.ts"
import { faceNetwork, faceSide } from "./face-network.ts"
import { type Box, type Grey, greyOf, hintFor, lookAt } from "./frame.ts"
import type { Answer, Question } from "./messages.ts"

let before: Grey | undefined

/** For so many milliseconds, what was seen of a face holds, on a slow device longer: to look for one takes longer than all else. */
const faceMillis = 400

/** Below this, what is in the outline is no face. */
const leastSure = 0.5

/** Around the outline, as a share of it: a whole head is larger than the face. */
const around = 1.3

type Network = ReturnType<typeof faceNetwork>

let asked: { readonly at: number; readonly network: Promise<Network | undefined> } | undefined
let lastFace: { readonly until: number; readonly found: boolean } | undefined

const load = async (needs: string): Promise<Network | undefined> => {
  try {
    const response = await fetch(needs)
    if (!response.ok) throw new Error("The file was not served")
    return faceNetwork(await response.arrayBuffer())
  } catch {
    await sleep(kycTimes.networkAgain)
    asked = undefined
    return undefined
  }
}

const pixelsOf = (
  width: number,
  height: number,
  draw: (context: OffscreenCanvasRenderingContext2D) => void
) => {
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })
  if (context === null) return undefined
  draw(context)
  return context.getImageData(0, 0, width, height).data
}

/** Undefined while the file is not there: then nothing is said of faces. */
const faceIn = async (frame: ImageBitmap, box: Box, needs: string): Promise<boolean | undefined> => {
  const now = performance.now()
  if (lastFace !== undefined && now < lastFace.until) return lastFace.found
  asked ??= { at: now, network: load(needs) }
  const sureness = await Promise.race([asked.network, sleep(asked.at + kycTimes.network - now)])
  if (sureness === undefined) return undefined
  const side = around * Math.max(box.width, box.height)
  const [x, y] = [box.x + box.width / 2 - side / 2, box.y + box.height / 2 - side / 2]
  const pixels = pixelsOf(faceSide, faceSide, (context) =>
    context.drawImage(frame, x, y, side, side, 0, 0, faceSide, faceSide)
  )
  if (pixels === undefined) return undefined
  const begun = performance.now()
  const found = sureness(pixels) >= leastSure
  const over = performance.now()
  lastFace = { found, until: over + Math.max(faceMillis, over - begun) }
  return found
}

const look = async ({ frame, needs, outline, subject }: Question): Promise<Answer> => {
  const { height, width } = frame
  const data = pixelsOf(width, height, (context) => context.drawImage(frame, 0, 0))
  if (data === undefined) return { hint: undefined, motion: undefined }
  const box: Box = {
    x: Math.round(outline.x * width),
    y: Math.round(outline.y * height),
    width: Math.round(outline.width * width),
    height: Math.round(outline.height * height)
  }
  const now = greyOf(data, width, height)
  const seen = lookAt(now, before, box)
  before = now
  const hasFace = needs === undefined ? undefined : await faceIn(frame, box, needs)
  frame.close()
  return { hint: hintFor(seen, subject, hasFace), motion: seen.motion }
}

// A dedicated worker: only the page can send it messages.
addEventListener("message", async ({ data }: MessageEvent<Question>) => postMessage(await look(data)))
