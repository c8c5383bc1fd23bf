/** How to rotate a picture according to its Exif data (CIPA DC-008, section 4.6.4 A, tag 0x0112). */

import { chunksOf } from "./chunks.ts"

/** Rotate by the degrees first, then mirror. */
export interface Turn {
  readonly degrees: 0 | 90 | 180 | 270
  readonly mirror?: "left to right" | "top to bottom"
}

export const upright: Turn = { degrees: 0 }

const turns: ReadonlyArray<Turn> = [
  upright,
  { degrees: 0, mirror: "left to right" },
  { degrees: 180 },
  { degrees: 0, mirror: "top to bottom" },
  { degrees: 90, mirror: "left to right" },
  { degrees: 90 },
  { degrees: 90, mirror: "top to bottom" },
  { degrees: 270 }
]

const orientationTag = 0x0112

/** The orientation in a TIFF structure, 1 to 8; 1 if it has none. */
const orientationOf = (tiff: DataView): number => {
  try {
    const little = tiff.getUint16(0) === 0x4949
    const directory = tiff.getUint32(4, little)
    const count = tiff.getUint16(directory, little)
    for (let entry = 0; entry < count; entry++) {
      const at = directory + 2 + 12 * entry
      if (tiff.getUint16(at, little) === orientationTag) return tiff.getUint16(at + 8, little)
    }
  } catch (cause) {
    // The structure points past its end.
    if (!(cause instanceof RangeError)) throw cause
  }
  return 1
}

/** How to rotate a PNG or a WebP. (`Bun.Image` rotates a JPEG by itself.) */
export const turnOf = (file: Buffer, type: "image/png" | "image/webp"): Turn => {
  const exif = chunksOf(file, type).find((chunk) => chunk.type === "eXIf" || chunk.type === "EXIF")?.data
  if (exif === undefined) return upright
  // Some programs write the marker of a JPEG segment first.
  const tiff = exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif
  const orientation = orientationOf(new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength))
  return turns[orientation - 1] ?? upright
}
