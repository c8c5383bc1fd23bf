/**
 * A program of its own: looks into one uploaded file and makes the copy of an image that partners read, upright and without metadata.
 * Whatever a file does to a decoder, it does to this process. It is given no settings and no connection, and it dies alone.
 * It has the same user as the service and is not locked in: what it opens itself, it may open.
 *
 *     bun examine.ts <type> <file> <copy>
 */
import { writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import {
  exits,
  fewPixels,
  hardMaxBytes,
  longestMillis,
  mostPixels,
  mostScans,
  mostWebpPixels
} from "./examination-model.ts"
import { withoutMetadata } from "./heic.ts"
import { scansOf } from "./jpeg.ts"
import { turnOf } from "./orientation.ts"
import { isSafePdf } from "./pdf.ts"
import { withoutProfile } from "./profiles.ts"

/** Photographs keep what can be seen of them. */
const quality = 92

/** The usual 6 makes a PNG a tenth smaller and takes up to twice as long: with it, the largest would be out of time. */
const compressionLevel = 4

type Drawn = "image/jpeg" | "image/png" | "image/webp"

/** The picture upright, of so many pixels at most, and nothing else. */
const drawn = async (type: Drawn, file: Buffer, most: number): Promise<Buffer> => {
  const open = () => new Bun.Image(file, { maxPixels: mostPixels })
  const { height, width } = await open().metadata()
  const image = open()
  if (width * height > most) {
    // Within a square, so that it does not matter whether the picture is yet to be turned.
    const edge = Math.floor(Math.max(width, height) * Math.sqrt(most / (width * height)))
    image.resize(edge, edge, { fit: "inside" })
  }
  // Bun turns a JPEG by itself.
  const { degrees, mirror } = type === "image/jpeg" ? ({ degrees: 0 } as const) : turnOf(file, type)
  if (degrees !== 0) image.rotate(degrees)
  if (mirror === "left to right") image.flop()
  if (mirror === "top to bottom") image.flip()
  const coded = {
    "image/jpeg": () => image.jpeg({ quality }),
    "image/png": () => image.png({ compressionLevel }),
    "image/webp": () => image.webp({ quality })
  }[type]()
  return withoutProfile(Buffer.from(await coded.bytes()), type)
}

/** As large as may be, and smaller where that takes too many bytes: a file may be coded far better than its copy. */
const copyOf = async (type: Drawn, file: Buffer): Promise<Buffer> => {
  let copy = await drawn(type, file, type === "image/webp" ? mostWebpPixels : mostPixels)
  for (let most = fewPixels; copy.length > hardMaxBytes; most /= 4) copy = await drawn(type, file, most)
  return copy
}

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

const examine = async (type: string, path: string, copy: string): Promise<number> => {
  const file = Buffer.from(await Bun.file(path).arrayBuffer())
  switch (type) {
    case "application/pdf":
      return isSafePdf(file) ? exits.fit : exits.unsafe
    case "image/heic": {
      const made = withoutMetadata(file)
      if (made === undefined) return exits.unreadable
      if (made.pixels > mostPixels) return exits.tooManyPixels
      await Bun.write(copy, made.copy, { mode: 0o600 })
      return exits.fit
    }
    case "image/jpeg":
    case "image/png":
    case "image/webp":
      if (type === "image/jpeg" && scansOf(file) > mostScans) return exits.unreadable
      try {
        await Bun.write(copy, await copyOf(type, file), { mode: 0o600 })
        return exits.fit
      } catch (error) {
        const code = codeOf(error)
        if (code === "ERR_IMAGE_TOO_MANY_PIXELS") return exits.tooManyPixels
        if (String(code).startsWith("ERR_IMAGE_")) return exits.unreadable
        throw error
      }
    default:
      throw new Error(`There is nothing to examine in ${type}`)
  }
}

// Requests come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
try {
  // When the machine runs out of memory, this one goes first.
  writeFileSync("/proc/self/oom_score_adj", "1000")
} catch {
  // There is none but on Linux, and some containers refuse it.
}
// In case the process that waits for this one has died; it ends this one a second earlier.
setTimeout(() => process.exit(exits.outOfTime), longestMillis + 1000)
const [, , type = "", path = "", copy = ""] = process.argv
process.exit(await examine(type, path, copy))
