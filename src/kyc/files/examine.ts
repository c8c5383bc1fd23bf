/**
 * Examines one uploaded image, and writes the copy that partners read, upright and without metadata.
 * Whatever an image does to a decoder affects only this process, which has no settings and no connections. It
 * is not sandboxed: it can open whatever the service's user can.
 *
 *     bun examine.ts <type> <file> <copy> <milliseconds>
 */
import { writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { after } from "../../shared/timers.ts"
import {
  exits,
  maxFileBytes,
  maxPixels,
  maxScans,
  maxWebpPixels,
  reducedPixels
} from "./examination-model.ts"
import { scansOf } from "./jpeg.ts"
import type { ImageType } from "./model.ts"
import { turnOf, upright } from "./orientation.ts"
import { withoutProfile } from "./profiles.ts"

/** High enough that photographs lose no visible detail. */
const quality = 92

/** The usual level, 6, makes a PNG a tenth smaller but may take twice as long, too long for the largest. */
const compressionLevel = 4

/** The re-encoded picture: upright, at most `most` pixels, without metadata or colour profile. */
const drawn = async (type: ImageType, file: Buffer, most: number): Promise<Buffer> => {
  const image = new Bun.Image(file, { maxPixels })
  const { height, width } = await image.metadata()
  if (width * height > most) {
    // Fits the picture into a square, so a later rotation does not matter.
    const edge = Math.floor(Math.max(width, height) * Math.sqrt(most / (width * height)))
    image.resize(edge, edge, { fit: "inside" })
  }
  // Bun rotates a JPEG by itself.
  const { degrees, mirror } = type === "image/jpeg" ? upright : turnOf(file, type)
  if (degrees !== 0) image.rotate(degrees)
  if (mirror === "left to right") image.flop()
  if (mirror === "top to bottom") image.flip()
  const coded = {
    "image/jpeg": () => image.jpeg({ quality }),
    "image/png": () => image.png({ compressionLevel }),
    "image/webp": () => image.webp({ quality })
  }[type]()
  return withoutProfile(await coded.buffer(), type)
}

/** The largest copy that stays within the byte limit. A copy can need far more bytes than its file. */
const copyOf = async (type: ImageType, file: Buffer): Promise<Buffer> => {
  let copy = await drawn(type, file, type === "image/webp" ? maxWebpPixels : maxPixels)
  for (let most = reducedPixels; copy.length > maxFileBytes; most /= 4) copy = await drawn(type, file, most)
  return copy
}

const examine = async (type: string, path: string, copy: string): Promise<number> => {
  if (type !== "image/jpeg" && type !== "image/png" && type !== "image/webp") {
    throw new Error(`There is nothing to examine in ${type}`)
  }
  const file = Buffer.from(await Bun.file(path).arrayBuffer())
  if (type === "image/jpeg" && scansOf(file) > maxScans) return exits.unreadable
  try {
    await Bun.write(copy, await copyOf(type, file), { mode: 0o600 })
    return exits.fit
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : ""
    if (code === "ERR_IMAGE_TOO_MANY_PIXELS") return exits.tooManyPixels
    if (code.startsWith("ERR_IMAGE_")) return exits.unreadable
    throw error
  }
}

// Requests have priority over examinations.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
try {
  // If the machine runs out of memory, the kernel kills this process first.
  writeFileSync("/proc/self/oom_score_adj", "1000")
} catch {
  // The file exists only on Linux, and some containers refuse to write it.
}
const [, , type = "", path = "", copy = "", millis] = process.argv
// The service kills this process one second earlier, unless the service has died.
after(Number(millis) + 1000, () => process.exit(exits.outOfTime))
process.exit(await examine(type, path, copy))
