/**
 * Whether a PDF (ISO 32000-2) can do something to whoever opens it: run a script, start a program, carry another file, send what
 * was entered. An encrypted one cannot be looked into, and counts as one that can.
 *
 * All names of the file are looked at, wherever they stand, since a table of offsets may point anywhere; and those of its object
 * streams, which are the one place where objects are compressed.
 */
import { constants, inflateSync } from "node:zlib"

const dangerous = new Set([
  ...["JavaScript", "Rendition", "Launch", "EmbeddedFile", "EmbeddedFiles", "GoToE", "RichMedia", "XFA"],
  ...["SubmitForm", "ImportData", "Encrypt"]
])

/** Bytes that one object stream, and all of a file, may become. */
const mostInflated = 16_777_216
const mostInflatedTogether = 67_108_864

/** Dictionaries do not stand in one another's text: reading them all is reading the file once, or it was made to take long. */
const mostReadings = 4

class Unsafe extends Error {}

const unsafe = (): never => {
  throw new Unsafe()
}

const decoded = (name: string): string =>
  name.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Names of up to 127 bytes, which is as long as they may be, each of which may be written as four. */
const names = /\/([^\0\t\n\f\r ()<>[\]{}/%]{1,508})/g

/** A link, whose path may well be `/Launch`. Without white space and angle brackets no object can be in it. */
const link = /\/URI[\0\t\n\f\r ]*\([\w\-.~:/?#[\]@!$&'*+,;=%]*\)/g

const refuseNames = (text: string): void => {
  for (const [, name = ""] of text.replaceAll(link, " ").matchAll(names)) {
    if (dangerous.has(decoded(name))) unsafe()
  }
}

/** A word of a dictionary, behind white space and comments: a mark, a name, the beginning of a string, or anything else. */
const token =
  /(?:[\0\t\n\f\r ]|%[^\r\n]*(?:[\r\n]|$))*(?:(<<|>>|[[\]{}])|\/([^\0\t\n\f\r ()<>[\]{}/%]*)|(\()|<[^<>]*>|[^\0\t\n\f\r ()<>[\]{}/%]+)/y

/** The place behind the string that begins at `at`. */
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

interface Dictionary {
  /** All names in it, keys and values, also of what is within it. */
  readonly names: ReadonlyArray<string>
  readonly end: number
}

/** Reads a text here and there, from its beginning to its end, and refuses to read it over and over. */
const readerOf = (text: string) => {
  let left = mostReadings * text.length
  const spend = (characters: number): void => {
    left -= characters
    if (left < 0) unsafe()
  }

  /** The line that was last looked for, from where to its end. */
  let line = { from: 0, end: -1 }

  /** The place behind white space and comments. */
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

  /** The dictionary that comes next; undefined when something else does. */
  const dictionary = (from: number): Dictionary | undefined => {
    const begin = behindSpace(from)
    if (!text.startsWith("<<", begin)) return undefined
    const found: Array<string> = []
    let depth = 0
    token.lastIndex = begin
    for (;;) {
      const at = token.lastIndex
      const match = token.exec(text)
      if (match === null) {
        spend(text.length - at)
        return undefined
      }
      const [, mark, name, string] = match
      if (string !== undefined) token.lastIndex = behindString(text, token.lastIndex - 1)
      spend(token.lastIndex - at)
      if (mark === "<<") depth++
      else if (mark === ">>" && --depth === 0) return { names: found, end: token.lastIndex }
      else if (name !== undefined) found.push(decoded(name))
    }
  }

  /** Where the bytes of the stream begin whose dictionary ends there; undefined when there is none. */
  const stream = (end: number): number | undefined => {
    const keyword = behindSpace(end)
    if (!text.startsWith("stream", keyword)) return undefined
    const [lineBreak = ""] = /^(?:\r\n|\n|\r)?/.exec(text.slice(keyword + 6, keyword + 8)) ?? []
    return keyword + 6 + lineBreak.length
  }

  return { dictionary, stream }
}

/** Names of filters, and what stands for them. */
const isFilter = (name: string): boolean => /Decode$|^(?:Fl|LZW|A85|AHx|RL|CCF|DCT|Crypt)$/.test(name)

/** The objects in an object stream, as text. One that is compressed in another way than all programs do it is not looked into. */
const objectsIn = (file: Buffer, from: number, { names }: Dictionary): string => {
  const filters = names.filter(isFilter)
  if (filters.length === 0 && !names.includes("Filter")) return ""
  if (filters.join() !== "FlateDecode" || names.includes("DecodeParms") || names.includes("DP"))
    return unsafe()
  try {
    const options = { maxOutputLength: mostInflated, finishFlush: constants.Z_SYNC_FLUSH }
    return inflateSync(file.subarray(from), options).toString("latin1")
  } catch {
    return unsafe()
  }
}

const refuseObjectStreams = (file: Buffer, text: string): void => {
  const reader = readerOf(text)
  let left = mostInflatedTogether
  for (let at = text.indexOf("obj"); at !== -1; at = text.indexOf("obj", at + 3)) {
    const dictionary = reader.dictionary(at + 3)
    if (dictionary === undefined) continue
    const has = (name: string) => dictionary.names.includes(name)
    // Readers tell one by its type, or by what it cannot do without.
    if (!has("ObjStm") && !(has("First") && has("N"))) continue
    const begin = reader.stream(dictionary.end)
    if (begin === undefined) continue
    const objects = objectsIn(file, begin, dictionary)
    left -= objects.length
    if (left < 0) unsafe()
    refuseNames(objects)
  }
}

/** Whether nothing in the file can act. It takes time in proportion to the file's size. */
export const isSafePdf = (file: Buffer): boolean => {
  const text = file.toString("latin1")
  try {
    refuseNames(text)
    refuseObjectStreams(file, text)
    return true
  } catch (cause) {
    if (cause instanceof Unsafe) return false
    throw cause
  }
}
