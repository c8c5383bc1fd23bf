/** What the page asks the worker about a frame, and what it answers. */
import type { Box, Hint } from "./frame.ts"

export interface Question {
  readonly frame: ImageBitmap
  /** As shares of the frame, 0 to 1. */
  readonly outline: Box
  readonly subject: "document" | "face"
  /** The address of the file that tells faces from other things; undefined if none is to be found. */
  readonly needs: string | undefined
}

/** What a reader of documents finds in a frame belongs here as well. */
export interface Answer {
  /** Undefined if the picture can be taken. */
  readonly hint: Hint | undefined
  readonly motion: number | undefined
}
