/** Looks at the camera's frames beside the page, which stays responsive. Nothing of it is sent anywhere. */
import { type Box, type Grey, greyOf, hintFor, lookAt } from "./frame.ts"
import type { Answer, Question } from "./messages.ts"

let before: Grey | undefined

const look = ({ frame, outline, subject }: Question): Answer => {
  const canvas = new OffscreenCanvas(frame.width, frame.height)
  const context = canvas.getContext("2d", { willReadFrequently: true })
  if (context === null) return { hint: undefined, motion: undefined }
  context.drawImage(frame, 0, 0)
  frame.close()
  const { data, height, width } = context.getImageData(0, 0, canvas.width, canvas.height)
  const box: Box = {
    x: Math.round(outline.x * width),
    y: Math.round(outline.y * height),
    width: Math.round(outline.width * width),
    height: Math.round(outline.height * height)
  }
  const now = greyOf(data, width, height)
  const seen = lookAt(now, before, box)
  before = now
  return { hint: hintFor(seen, subject), motion: seen.motion }
}

// A dedicated worker: only the page can send it messages.
addEventListener("message", ({ data }: MessageEvent<Question>) => postMessage(look(data)))
