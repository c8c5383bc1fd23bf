/** How a document is written as text: as JSON, or in a language that a page loads for it. */
import type { Path } from "../../../json.ts"
import { jsonError, lineOf } from "./json-text.ts"

export interface SyntaxProblem {
  /** Counted from 1. */
  readonly line: number
  /** A sentence that names the line. */
  readonly sentence: string
}

export interface Syntax {
  /** Why a text is not an object; undefined if it is one. */
  readonly problemIn: (text: string) => SyntaxProblem | undefined
  /** The line, counted from 1, of the value at a path in a text without problem, or of the closest enclosing value. */
  readonly lineOf: (text: string, place: Path) => number
}

export const json: Syntax = {
  problemIn: (text) => {
    const wrong = jsonError(text)
    return wrong && { line: wrong.line, sentence: `Line ${wrong.line} should have ${wrong.message}.` }
  },
  lineOf
}
