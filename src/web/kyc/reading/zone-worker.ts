/** Reads machine-readable zones in frames and photos beside the page, which stays responsive. Nothing of it is sent anywhere. */
import { greyOf } from "../hints/frame.ts"
import { answerWith, nothing } from "./answering.ts"
import { pixelsOf } from "./pixels.ts"
import { zoneReader } from "./zone-reader.ts"

answerWith((weights) => {
  const read = zoneReader(weights)
  return async ({ formats, picture }) => {
    const pixels = pixelsOf(picture)
    if (pixels === undefined) return nothing
    const { data, height, width } = pixels
    return read({ data: greyOf(data, width, height).pixels, width, height }, formats)
  }
})
