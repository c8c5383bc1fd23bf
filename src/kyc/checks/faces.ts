/** Finds faces in a picture, with their eyes, nose, mouth and ears. */

import type { FaceSeen } from "./look-model.ts"
import { type Outputs, outputsOf } from "./networks.ts"
import { inPicture, type Point, patchOf, type Square } from "./patches.ts"
import type { Colour } from "./picture.ts"

/** In pixels of the picture. Right and left are those of the person. */
export interface Face {
  /** From 0 to 1. */
  readonly score: number
  readonly middle: Point
  readonly width: number
  readonly height: number
  readonly rightEye: Point
  readonly leftEye: Point
  readonly nose: Point
  readonly mouth: Point
  readonly rightEar: Point
  readonly leftEar: Point
}

/** Finds the faces in squares of a picture, each face once. */
export type FaceFinder = (picture: Colour, squares: ReadonlyArray<Square>) => Promise<ReadonlyArray<Face>>

/** The finder looks at squares of so many pixels. */
const side = 256

/** It divides a square into cells, and looks several times for a face around the middle of each. */
const layers = [
  { cells: 16, faces: 2 },
  { cells: 8, faces: 6 }
] as const

/** For each possible face: its box, and the six points. */
const numbersOfFace = 16

const leastScore = 0.7

const facesOf = (
  square: Square,
  scores: Float32Array,
  boxes: Float32Array,
  { cells, faces }: (typeof layers)[number]
): ReadonlyArray<Face> => {
  const found: Array<Face> = []
  for (let index = 0; index < scores.length; index++) {
    const score = 1 / (1 + Math.exp(-(scores[index] ?? Number.NEGATIVE_INFINITY)))
    if (score < leastScore) continue
    const cell = Math.floor(index / faces)
    const [x, y] = [((cell % cells) + 0.5) / cells, (Math.floor(cell / cells) + 0.5) / cells]
    const number = (place: number) => (boxes[index * numbersOfFace + place] ?? 0) / side
    const point = (place: number) => inPicture(square, { x: x + number(place), y: y + number(place + 1) })
    found.push({
      score,
      middle: point(0),
      width: number(2) * square.side,
      height: number(3) * square.side,
      rightEye: point(4),
      leftEye: point(6),
      nose: point(8),
      mouth: point(10),
      rightEar: point(12),
      leftEar: point(14)
    })
  }
  return found
}

/** Whether two boxes are of the same face: one is mostly inside the other, or they mostly overlap. */
const areSame = (one: Face, other: Face): boolean => {
  const overlap = (axis: "x" | "y", length: "height" | "width") =>
    Math.max(
      0,
      Math.min(one.middle[axis] + one[length] / 2, other.middle[axis] + other[length] / 2) -
        Math.max(one.middle[axis] - one[length] / 2, other.middle[axis] - other[length] / 2)
    )
  const shared = overlap("x", "width") * overlap("y", "height")
  return shared > 0.4 * Math.min(one.width * one.height, other.width * other.height)
}

/** Each face once, as its most certain sighting has it; the most certain first. */
const distinct = (faces: ReadonlyArray<Face>): ReadonlyArray<Face> => {
  const kept: Array<Face> = []
  for (const face of faces.toSorted((one, other) => other.score - one.score))
    if (!kept.some((other) => areSame(face, other))) kept.push(face)
  return kept
}

const finderOf =
  (network: Outputs): FaceFinder =>
  async (picture, squares) => {
    const found: Array<Face> = []
    for (const square of squares) {
      const outputs = await network(patchOf(picture, square, side, "pixels"), [1, side, side, 3])
      for (const [index, layer] of layers.entries()) {
        const [scores, boxes] = [outputs[index], outputs[index + layers.length]]
        if (scores !== undefined && boxes !== undefined)
          found.push(...facesOf(square, scores.data, boxes.data, layer))
      }
    }
    return distinct(found)
  }

export const loadFaceFinder = async (): Promise<FaceFinder> =>
  finderOf(await outputsOf(`${import.meta.dirname}/face-finder/weights.onnx`))

/** Smaller faces, by their share of the long edge, are not those of who takes the photo. */
const leastShare = 0.06

/** In profile, the nose is so many halves of the box's width away from between the ears. */
const noseLength = 1.4

const wholeOf = ({ height, width }: Colour): Square => ({
  x: width / 2,
  y: height / 2,
  side: Math.max(width, height),
  angle: 0
})

const between = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 })

/**
 * By how many degrees a face is turned to the person's left: by how far the nose is from between the ears, across the line from the eyes to the
 * mouth. In profile the ears, and often the eyes, are in one place, so their order says nothing.
 */
const turnOf = ({ leftEar, leftEye, mouth, nose, rightEar, rightEye, width }: Face): number => {
  const [ears, eyes] = [between(leftEar, rightEar), between(leftEye, rightEye)]
  const [downX, downY] = [mouth.x - eyes.x, mouth.y - eyes.y]
  const length = Math.max(Math.hypot(downX, downY), 1e-6)
  const across = ((nose.x - ears.x) * downY - (nose.y - ears.y) * downX) / length
  const sine = across / (noseLength * (width / 2))
  return Math.round((Math.asin(Math.max(-1, Math.min(1, sine))) * 180) / Math.PI)
}

/** The faces of who takes a photo of themselves, the largest first. */
export const selfieFaces = async (find: FaceFinder, picture: Colour): Promise<ReadonlyArray<Face>> =>
  (await find(picture, [wholeOf(picture)]))
    .filter(({ width }) => width >= leastShare * Math.max(picture.width, picture.height))
    .toSorted((one, other) => other.width - one.width)

/** @param scale pixels of the photo in a pixel of the picture in which the face was found */
export const seenOf = (face: Face, scale: number): FaceSeen => ({
  width: Math.round(face.width * scale),
  height: Math.round(face.height * scale),
  turn: turnOf(face)
})

/** How a document may be turned in a photo. */
const directions = [0, Math.PI / 2, Math.PI, -Math.PI / 2]

/**
 * The portraits of a document, the largest first, in whatever direction it is turned: of the sightings of a face, the finder is surest of the
 * upright one.
 */
export const portraitsIn = async (find: FaceFinder, picture: Colour): Promise<ReadonlyArray<Face>> => {
  const whole = wholeOf(picture)
  const found = await find(
    picture,
    directions.map((angle) => ({ ...whole, angle }))
  )
  return found.toSorted((one, other) => other.width - one.width)
}

/** The face in a larger or smaller copy of the picture. */
export const scaled = (face: Face, scale: number): Face => {
  const point = ({ x, y }: Point): Point => ({ x: x * scale, y: y * scale })
  return {
    score: face.score,
    middle: point(face.middle),
    width: face.width * scale,
    height: face.height * scale,
    rightEye: point(face.rightEye),
    leftEye: point(face.leftEye),
    nose: point(face.nose),
    mouth: point(face.mouth),
    rightEar: point(face.rightEar),
    leftEar: point(face.leftEar)
  }
}
