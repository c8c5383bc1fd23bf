/** JSON as text: finds syntax errors, and the line of the value at a path. */
import type { Path } from "../../../json.ts"

export interface JsonError {
  /** Counted from 1. */
  readonly line: number
  /** What the parser expected there. */
  readonly message: string
}

class Unexpected extends Error {
  readonly offset: number
  constructor(offset: number, expected: string) {
    super(expected)
    this.offset = offset
  }
}

const space = /[ \t\n\r]*/y
// Any character from the space on, except quotes and backslashes.
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The maximum nesting depth that the API accepts. */
const maxLevels = 32

/** Visits every value in document order; throws `Unexpected` at a syntax error. */
const walk = (text: string, visit: (path: Path, offset: number) => void): void => {
  let offset = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) offset += found.length
    return found
  }
  const skip = () => void take(space)
  const expect = (character: string, expected: string) => {
    skip()
    if (text[offset] !== character) throw new Unexpected(offset, expected)
    offset++
  }
  const follows = (character: string): boolean => {
    skip()
    return text[offset] === character
  }
  /** The comma-separated items between brackets. */
  const list = (close: string, item: (index: number) => void) => {
    offset++
    if (follows(close)) {
      offset++
      return
    }
    for (let index = 0; ; index++) {
      item(index)
      if (follows(close)) break
      expect(",", `a comma, or ${close}`)
    }
    offset++
  }
  const value = (path: Path): void => {
    skip()
    visit(path, offset)
    if (path.length > maxLevels) throw new Unexpected(offset, `at most ${maxLevels} levels of nesting`)
    if (text[offset] === "{") {
      list("}", () => {
        skip()
        const start = offset
        const key = take(string)
        if (key === undefined) throw new Unexpected(start, "a name in double quotes")
        expect(":", "a colon")
        value([...path, String(JSON.parse(key))])
      })
    } else if (text[offset] === "[") list("]", (index) => value([...path, index]))
    else if (text[offset] === '"') {
      if (take(string) === undefined) throw new Unexpected(offset, "a string that ends on its line")
    } else if (take(word) === undefined) throw new Unexpected(offset, "a value")
  }
  value([])
  skip()
  if (offset < text.length) throw new Unexpected(offset, "nothing more")
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

/** Why a text is not a JSON object; undefined if it is one. */
export const jsonError = (text: string): JsonError | undefined => {
  try {
    walk(text, () => {})
  } catch (cause) {
    if (!(cause instanceof Unexpected)) throw cause
    return { line: lineAt(text, cause.offset), message: cause.message }
  }
  return text.trimStart().startsWith("{") ? undefined : { line: 1, message: "an object: {" }
}

// The API writes a numeric name as an index.
const within = (path: Path, place: Path): boolean =>
  path.length <= place.length && path.every((segment, index) => String(segment) === String(place[index]))

/** The line, counted from 1, of the value at a path in valid JSON, or of the closest enclosing value. */
export const lineOf = (text: string, place: Path): number => {
  let best = { depth: 0, offset: 0 }
  walk(text, (path, offset) => {
    // If a name occurs twice, the last one counts.
    if (within(path, place) && path.length >= best.depth) best = { depth: path.length, offset }
  })
  return lineAt(text, best.offset)
}

export const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
