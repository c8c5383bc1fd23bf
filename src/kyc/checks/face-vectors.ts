/** Compares faces, by a network that the operator provides. */
import type { Face } from "./faces.ts"
import { type Network, networkIn } from "./networks.ts"
import { type Point, patchOf, type Square } from "./patches.ts"
import type { Colour } from "./picture.ts"

/** Numbers that are near those of another photo of the same person, as far as the network can tell. */
export type Vectors = (picture: Colour, face: Face) => Promise<ReadonlyArray<number>>

/** The network gets faces of so many pixels. */
const size = 112

/**
 * Where networks that compare faces expect the eyes, the nose and the middle of the mouth, in pixels of `size`. These are the points of ArcFace;
 * its corners of the mouth are here the point between them.
 */
const places: Readonly<Record<"leftEye" | "mouth" | "nose" | "rightEye", Point>> = {
  rightEye: { x: 38.2946, y: 51.6963 },
  leftEye: { x: 73.5318, y: 51.5014 },
  nose: { x: 56.0252, y: 71.7366 },
  mouth: { x: 56.1396, y: 92.2848 }
}

const middleOf = (points: ReadonlyArray<Point>): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length
})

/** The square in which the points of the face are nearest to their places: moved, turned and scaled, by least squares. */
const alignedTo = (face: Face): Square => {
  const pairs = [
    [places.rightEye, face.rightEye],
    [places.leftEye, face.leftEye],
    [places.nose, face.nose],
    [places.mouth, face.mouth]
  ] as const
  const from = middleOf(pairs.map(([place]) => place))
  const to = middleOf(pairs.map(([, point]) => point))
  let [along, across, squares] = [0, 0, 0]
  for (const [place, point] of pairs) {
    const [u, v] = [place.x - from.x, place.y - from.y]
    const [x, y] = [point.x - to.x, point.y - to.y]
    along += u * x + v * y
    across += u * y - v * x
    squares += u * u + v * v
  }
  const [cos, sin] = [along / squares, across / squares]
  const [u, v] = [size / 2 - from.x, size / 2 - from.y]
  return {
    x: to.x + u * cos - v * sin,
    y: to.y + u * sin + v * cos,
    side: size * Math.hypot(cos, sin),
    angle: Math.atan2(sin, cos)
  }
}

/** The longest vector that is taken. */
const longest = 4096

const vectorsBy =
  (network: Network): Vectors =>
  async (picture, face) => {
    const { data } = await network(patchOf(picture, alignedTo(face), size, "channels"), [1, 3, size, size])
    if (data.length === 0 || data.length > longest || !data.every(Number.isFinite)) {
      throw new Error("the network gives no vector")
    }
    return [...data]
  }

/**
 * The operator's network, in an ONNX file: it takes 1 x 3 x 112 x 112 values from -1 to 1, red first, of a face whose eyes, nose and mouth are
 * in their places, and gives a vector.
 */
export const loadVectors = async (path: string): Promise<Vectors> => vectorsBy(await networkIn(path))
