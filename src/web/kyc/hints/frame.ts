/** What a frame of the camera looks like: its light, sharpness, glare and movement, and whether a document fills the outline. */
import { measure } from "../files/image.ts"

/** One byte for each pixel, row by row. */
export interface Grey {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
}

/** In pixels of a frame. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Look {
  /** Mean luminance, 0 to 255. */
  readonly brightness: number
  /** The variance of the Laplacian; low if blurred. */
  readonly sharpness: number
  /** The share of the picture that is white with light, 0 to 1. */
  readonly glare: number
  /** The mean difference to the frame before, in levels of grey; undefined for the first frame. */
  readonly motion: number | undefined
  /** How many sides of the outline have a straight edge near them, 0 to 4. */
  readonly sides: number
}

export type Hint =
  | "hintDark"
  | "hintBright"
  | "hintGlare"
  | "hintOutline"
  | "hintCutOff"
  | "hintFace"
  | "hintMoving"
  | "hintBlurred"

/** Luminance of RGBA pixels (ITU-R BT.601). */
export const greyOf = (rgba: Uint8ClampedArray, width: number, height: number): Grey => {
  const pixels = new Uint8Array(width * height)
  const at = (index: number) => rgba[index] ?? 0
  for (let i = 0; i < pixels.length; i++) {
    pixels[i] = Math.round(0.299 * at(i * 4) + 0.587 * at(i * 4 + 1) + 0.114 * at(i * 4 + 2))
  }
  return { pixels, width, height }
}

const part = ({ pixels, width }: Grey, box: Box): Grey => {
  const cut = new Uint8Array(box.width * box.height)
  for (let row = 0; row < box.height; row++) {
    const start = (box.y + row) * width + box.x
    cut.set(pixels.subarray(start, start + box.width), row * box.width)
  }
  return { pixels: cut, width: box.width, height: box.height }
}

/** The edge of the squares in which light is looked for, in pixels. */
const cell = 16

/** Squares without any drawing in them: light hides what was there. */
const glareIn = ({ height, pixels, width }: Grey): number => {
  let white = 0
  let all = 0
  for (let top = 0; top + cell <= height; top += cell) {
    for (let left = 0; left + cell <= width; left += cell) {
      all++
      let saturated = true
      for (let row = top; saturated && row < top + cell; row++) {
        for (let column = left; saturated && column < left + cell; column++) {
          saturated = (pixels[row * width + column] ?? 0) >= 252
        }
      }
      if (saturated) white++
    }
  }
  return all === 0 ? 0 : white / all
}

const motionBetween = (before: Grey | undefined, now: Grey): number | undefined => {
  if (before === undefined || before.pixels.length !== now.pixels.length) return undefined
  let sum = 0
  for (let i = 0; i < now.pixels.length; i++) sum += Math.abs((now.pixels[i] ?? 0) - (before.pixels[i] ?? 0))
  return sum / now.pixels.length
}

/** In levels of grey: so much brighter or darker is a document than what is around it. */
const edgeFrom = 8

/** How far from a side of the outline its edge may be: a share of the outline. */
const reachShare = 0.12

/** An edge may be tilted, so each piece of a side has its own distance. So many of the pieces must have an edge. */
const pieces = 8
const piecesNeeded = 6

/** The share of the pixels of a piece that change in the same direction. In a line of print, fewer do. */
const alikeShare = 0.7

/** Whether a straight edge runs along a side. */
const hasEdge = (
  { height, pixels, width }: Grey,
  box: Box,
  side: "top" | "bottom" | "left" | "right"
): boolean => {
  const upright = side === "left" || side === "right"
  const [begin, length, limit] = upright ? [box.y, box.height, width] : [box.x, box.width, height]
  const line = { top: box.y, bottom: box.y + box.height, left: box.x, right: box.x + box.width }[side]
  const reach = Math.round((upright ? box.width : box.height) * reachShare)
  const at = (along: number, across: number) =>
    pixels[upright ? along * width + across : across * width + along] ?? 0
  // Without the corners, which are round.
  const [from, piece] = [begin + length * 0.1, (length * 0.8) / pieces]
  let brighter = 0
  let darker = 0
  for (let index = 0; index < pieces; index++) {
    const [first, last] = [Math.round(from + index * piece), Math.round(from + (index + 1) * piece)]
    let up = false
    let down = false
    for (let across = Math.max(2, line - reach); across <= Math.min(limit - 3, line + reach); across++) {
      let rises = 0
      let falls = 0
      for (let along = first; along < last; along++) {
        const step = at(along, across + 2) - at(along, across - 2)
        if (step >= edgeFrom) rises++
        else if (step <= -edgeFrom) falls++
      }
      up ||= rises >= (last - first) * alikeShare
      down ||= falls >= (last - first) * alikeShare
    }
    if (up) brighter++
    if (down) darker++
  }
  return Math.max(brighter, darker) >= piecesNeeded
}

const sides = ["top", "bottom", "left", "right"] as const

/** @param outline what the end user is asked to fill */
export const lookAt = (frame: Grey, before: Grey | undefined, outline: Box): Look => {
  const inside = part(frame, outline)
  return {
    ...measure(Float32Array.from(inside.pixels), inside.width),
    glare: glareIn(inside),
    motion: motionBetween(before, frame),
    sides: sides.filter((side) => hasEdge(frame, outline, side)).length
  }
}

const darkBelow = 50
const brightAbove = 225
const glareAbove = 0.02
const movingAbove = 4
const blurredBelow = 25

/**
 * The first thing to mend; undefined if the picture can be taken. A face has no straight edges, and little contrast.
 *
 * @param hasFace whether there is a face in the outline; undefined if it is not known
 */
export const hintFor = (look: Look, subject: "document" | "face", hasFace?: boolean): Hint | undefined => {
  if (look.brightness < darkBelow) return "hintDark"
  if (look.brightness > brightAbove) return "hintBright"
  if (subject === "face" && hasFace === false) return "hintFace"
  if (subject === "document") {
    if (look.glare > glareAbove) return "hintGlare"
    if (look.sides < 2) return "hintOutline"
    if (look.sides < 4) return "hintCutOff"
  }
  if (look.motion === undefined || look.motion > movingAbove) return "hintMoving"
  return look.sharpness < (subject === "document" ? blurredBelow : blurredBelow / 5)
    ? "hintBlurred"
    : undefined
}
