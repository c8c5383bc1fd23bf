/** Reads the objects of a PDF and refuses dangerous names. */
import { type Deeds, follow } from "./pdf-deeds.ts"
import {
  isDictionary,
  isWhole,
  type List,
  leadsOut,
  listOf,
  unsafe,
  type Value,
  valuesOf,
  wordsOf
} from "./pdf-values.ts"

const dangerous = new Set([
  ...["JavaScript", "Rendition", "Launch", "EmbeddedFile", "EmbeddedFiles", "EF", "FileAttachment", "GoToE"],
  ...["GoToR", "RichMedia", "OnInstantiate", "Movie", "Sound", "XFA", "SubmitForm", "ImportData", "Encrypt"],
  ...["Thread", "FFilter", "OPI"]
])

/** Honest objects do not overlap: reading them all reads the text once. More is meant to take long. */
const mostReadings = 4

/** More than any honest file has in one object. */
const mostWords = 1_000_000
const mostDepth = 100

const decoded = (name: string): string =>
  name.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Neither printable nor white space (ISO 32000-2, 7.2.3), which has already ended the name or word. */
const odd = /[^\x21-\x7e]+/
/** Bytes that no program writes into a name, although ISO 32000-2 allows them. */
const oddInName = /[^\x21-\x7e\x81-\xfe]/

/** Any byte that some reader may treat as white space. */
export const isSpace = (code: number): boolean => code < 0x21 || code > 0x7e
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
export const isInLine = (code: number): boolean => code !== 10 && code !== 13

/** A token after white space and comments: mark, name, start of a string, hexadecimal string, or word. */
const token =
  /(?:[\0\t\n\f\r ]|%[^\r\n]*(?:[\r\n]|$))*(?:(<<|>>|[[\]])|\/([^\0\t\n\f\r ()<>[\]{}/%]*)|(\()|<[\0\t\n\f\r 0-9A-Fa-f]*>|([^\0\t\n\f\r ()<>[\]{}/%]+))/y

/** The position after the string that begins at `at`. */
const behindString = (text: string, at: number): number => {
  let depth = 0
  for (let index = at; index < text.length; index++) {
    const character = text[index]
    if (character === "\\") index++
    else if (character === "(") depth++
    else if (character === ")" && --depth === 0) return index + 1
  }
  return text.length
}

interface Reading {
  readonly value: Value
  /** All names inside, both keys and values, at every depth. */
  readonly names: ReadonlyArray<string>
  readonly end: number
}

/** Reads objects at any position of a text, and refuses to read the text too often. */
export const readerOf = (text: string, { byItself }: Deeds) => {
  let left = mostReadings * text.length
  const spend = (characters: number): void => {
    left -= characters
    if (left < 0) unsafe()
  }

  /** The last comment found: from its start to the end of its line. */
  let line = { from: 0, end: -1 }

  /** The position after white space and comments. */
  const behindSpace = (from: number): number => {
    let at = from
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === 0x25) {
        if (at < line.from || at > line.end) {
          const next = text.slice(at).search(/[\r\n]/)
          line = { from: at, end: next === -1 ? text.length : at + next }
          spend(line.end - at)
        }
        at = line.end
      } else if (code === 0x20 || code === 0 || (code >= 9 && code <= 13 && code !== 11)) at++
      else return at
    }
  }

  /** The position after generation and `R`, if the number before `token.lastIndex` begins a reference. */
  const behindReference = (isReached: boolean): number | undefined => {
    const from = token.lastIndex
    const [generation = "", mark = ""] = [token.exec(text)?.[4], token.exec(text)?.[4]]
    const end = token.lastIndex
    spend(Math.max(0, end - from))
    token.lastIndex = from
    if (!/^\d/.test(generation) || !/^R(?:endobj)?(?![\x21-\x7e])/.test(mark)) return undefined
    return isReached && odd.test(generation + mark) ? unsafe() : end
  }

  /**
   * The next object; undefined if there is none or it is a string. Refuses a dangerous name, and an object
   * without a clear end, because readers would disagree on it.
   *
   * @param isReached whether readers go there: then anything that some of them may skip is refused; elsewhere
   * the bytes may belong to a picture
   */
  const object = (from: number, isReached: boolean): Reading | undefined => {
    const names: Array<string> = []
    let words = 0
    const open: Array<{ readonly mark: List["mark"]; readonly items: Array<Value> }> = []
    token.lastIndex = behindSpace(from)
    for (;;) {
      const at = token.lastIndex
      const match = token.exec(text)
      if (match === null) {
        return open.length > 0 || (isReached && behindSpace(at) < text.length) ? unsafe() : undefined
      }
      const [, mark, written, string, word] = match
      if (string !== undefined) {
        if (open.length === 0) return undefined
        token.lastIndex = behindString(text, token.lastIndex - 1)
      }
      spend(token.lastIndex - at)
      if (words++ > mostWords) unsafe()
      let value: Value | undefined
      let others: ReadonlyArray<Value> = []
      if (mark === "<<" || mark === "[") {
        if (open.push({ mark, items: [] }) > mostDepth) unsafe()
        continue
      }
      if (mark !== undefined) {
        const closed = open.pop()
        if (closed === undefined) return isReached ? unsafe() : undefined
        if ((closed.mark === "<<") !== (mark === ">>")) return unsafe()
        const list = listOf(closed.mark, closed.items)
        if (isDictionary(list) && leadsOut(list)) unsafe()
        for (const name of ["OpenAction", "AA"]) {
          for (const action of isDictionary(list) ? valuesOf(list, name) : []) follow(action, byItself)
        }
        value = list
      } else if (written !== undefined) {
        const [first = "", ...rest] = written.split(odd)
        const name = decoded(first)
        // For some readers, U+0000 ends a text.
        if (dangerous.has(name) || name.includes("\0") || (isReached && oddInName.test(written))) unsafe()
        names.push(name)
        value = { name }
        others = wordsOf(rest)
      } else if (word === undefined) {
        // A hexadecimal string.
        value = { word: "" }
      } else {
        if (isReached && odd.test(word)) unsafe()
        const [first, ...rest] = wordsOf(word.split(odd))
        value = first
        others = rest
      }
      if (value === undefined) continue
      const around = open.at(-1)
      if (around === undefined) {
        const end = isWhole(value) ? behindReference(isReached) : undefined
        if (end === undefined || !isWhole(value)) return { value, names, end: token.lastIndex }
        return { value: { reference: Number(value.word) }, names, end }
      }
      around.items.push(value, ...others)
    }
  }

  const behindWord = (from: number, word: string): number | undefined => {
    let at = behindSpace(from)
    while (at < text.length && isSpace(text.charCodeAt(at))) at = behindSpace(at + 1)
    return text.startsWith(word, at) ? at + word.length : undefined
  }

  return { object, behindWord }
}
