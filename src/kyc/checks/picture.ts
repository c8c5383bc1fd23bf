/** Decodes photos for the process that looks at them. */
import type { Sharp } from "sharp"

/** One channel, by rows. */
export interface Grey {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Three channels a pixel: red, green, blue. */
export type Colour = Grey

/** The photo has a type that is not looked at, or does not decode. */
export class Undecodable extends Error {}

/** More pixels on the long edge do not make a zone easier to read. */
const longEdge = 2400

const barcodeEdge = 1600

/** As uploads: width times height. */
const maxPixels = 67_108_864

export interface Picture {
  /** Of the photo, upright. */
  readonly width: number
  readonly height: number
  /** At most {@link longEdge} pixels on its long edge. */
  readonly grey: Grey
  /**
   * The same picture in colour, within a square of that many pixels.
   *
   * @param turned whether it is turned clockwise by 90 degrees
   */
  readonly within: (edge: number, turned: boolean) => Promise<Colour>
  /** `grey`, at most so many pixels on its long edge. */
  readonly greyWithin: (edge: number) => Promise<Grey>
  /** `grey`, stretched to this size. */
  readonly greyFilling: (width: number, height: number) => Promise<Grey>
  /** `grey` for a barcode: at most 1,600 pixels on its long edge, turned clockwise by so many degrees. */
  readonly tilted: (degrees: number) => Promise<Grey>
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
    const { data, height, width } = grey
    const greyOnly = () => sharp(data, { raw: { width, height, channels: 1 } })
    const smaller = (edge: number) =>
      greyOnly().resize(edge, edge, { fit: "inside", withoutEnlargement: true }).toColourspace("b-w")
    return {
      width: autoOrient.width,
      height: autoOrient.height,
      grey,
      greyWithin: (edge) => raw(smaller(edge)),
      greyFilling: (width, height) =>
        raw(greyOnly().resize(width, height, { fit: "fill" }).toColourspace("b-w")),
      tilted: async (degrees) => {
        const small = await raw(smaller(barcodeEdge))
        if (degrees === 0) return small
        const { data, height, width } = small
        return raw(
          sharp(data, { raw: { width, height, channels: 1 } })
            .rotate(degrees, { background: "#808080" })
            .toColourspace("b-w")
        )
      },
      within: async (edge, turned) => {
        const { data, height, width } = await raw(
          upright.clone().resize(edge, edge, { fit: "inside", withoutEnlargement: true })
        )
        if (!turned) return { data, height, width }
        // Another step: sharp turns a picture before it resizes it, however the two are called.
        return raw(sharp(data, { raw: { width, height, channels: 3 } }).rotate(90))
      }
    }
  } catch (error) {
    throw new Undecodable(error instanceof Error ? error.message : String(error))
  }
}
