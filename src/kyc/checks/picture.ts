/** Decodes photos for the process that looks at them. */
import type { Sharp } from "sharp"
import type { Grey } from "./sampling.ts"

/** Three channels a pixel: red, green, blue. */
export type Colour = Grey

/** The photo has a type that is not looked at, or does not decode. */
export class Undecodable extends Error {}

/** More pixels on the long edge do not make a zone easier to read. */
const longEdge = 2400

/** Enough to measure the photo, and to find what it shows. */
const smallEdge = 1000

/** As uploads: width times height. */
const maxPixels = 67_108_864

export interface Picture {
  /** Of the photo, upright. */
  readonly width: number
  readonly height: number
  /** At most {@link longEdge} pixels on its long edge. */
  readonly grey: Grey
  /** `grey`, at most {@link smallEdge} pixels on its long edge. */
  readonly small: Grey
  /** `grey`, stretched to this size. */
  readonly greyFilling: (width: number, height: number) => Promise<Grey>
  /** The same picture in colour, at most so many pixels on its long edge. */
  readonly colourWithin: (edge: number) => Promise<Colour>
}

type Library = typeof import("sharp")

/** Only the formats in which photos arrive: others, such as SVG, would give a file more to attack. */
export const loadSharp = async (): Promise<Library["default"]> => {
  const { default: sharp } = await import("sharp")
  sharp.block({ operation: ["VipsForeignLoad"] })
  sharp.unblock({
    operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"]
  })
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

const raw = async (image: Sharp): Promise<Grey> => {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/**
 * Decodes a JPEG, PNG or WebP: upright, in 8 bits, without an alpha channel. Of an animation, the first picture. Throws `Undecodable`, also
 * if the file is truncated.
 */
export const decoded = async (sharp: Library["default"], file: Uint8Array): Promise<Picture> => {
  try {
    const options = { limitInputPixels: maxPixels, failOn: "truncated", pages: 1 } as const
    const { autoOrient } = await sharp(file, options).metadata()
    const upright = sharp(file, options).autoOrient().flatten({ background: "#fff" }).toColourspace("srgb")
    const grey = await raw(
      upright.clone().resize(longEdge, longEdge, { fit: "inside", withoutEnlargement: true }).greyscale()
    )
    const greyOnly = () => sharp(grey.data, { raw: { width: grey.width, height: grey.height, channels: 1 } })
    const fitted = (width: number, height: number, fit: "fill" | "inside") =>
      raw(
        greyOnly()
          .resize(width, height, { fit, withoutEnlargement: fit === "inside" })
          .toColourspace("b-w")
      )
    return {
      width: autoOrient.width,
      height: autoOrient.height,
      grey,
      small: await fitted(smallEdge, smallEdge, "inside"),
      greyFilling: (width, height) => fitted(width, height, "fill"),
      colourWithin: (edge) =>
        raw(upright.clone().resize(edge, edge, { fit: "inside", withoutEnlargement: true }))
    }
  } catch (error) {
    throw new Undecodable(error instanceof Error ? error.message : String(error))
  }
}
