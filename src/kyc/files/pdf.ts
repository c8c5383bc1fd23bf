/**
 * Checks whether a PDF (ISO 32000-2) can act when opened: run a script, start a program, open another
 * document, open a URL by itself, carry another file, or send form data. An encrypted PDF cannot be
 * inspected, so it is unsafe.
 *
 * Every object is read, because the cross-reference table may point anywhere, even into a string; so are
 * objects in object streams, the only place where objects are compressed. Text inside strings, metadata or
 * pages is not an object.
 *
 * Readers differ on white space: PDFium includes 0x80 and 0xFF. Here, every byte that is not printable ASCII
 * ends a name or a word, so that it cannot hide the text around it. Readers go to numbered objects, so such
 * bytes are refused there, except 0x81 to 0xFE in names: honest files use them.
 *
 * The parser is our own: libraries such as pdf.js follow the file's tables as one reader does, and so miss
 * what other readers find.
 */
import { constants, inflateSync } from "node:zlib"
import { type Deeds, noDeed, refuseAddresses, remember } from "./pdf-deeds.ts"
import { isDigit, isInLine, isSpace, readerOf } from "./pdf-reader.ts"
import { isDictionary, isName, isUnknown, type List, Unsafe, unsafe, wholeOf } from "./pdf-values.ts"

/** The most bytes that one object stream, and all of a file's object streams, may decompress to. */
const mostInflated = 16_777_216
const mostInflatedTogether = 67_108_864

/** Whether a name is a filter or an abbreviation of one. */
const isFilter = (name: string): boolean => /Decode$|^(?:Fl|LZW|A85|AHx|RL|CCF|DCT|Crypt)$/.test(name)

/** The text of an object stream. Refuses any compression other than the one that all programs use. */
const inflated = (file: Buffer, text: string, from: number, names: ReadonlyArray<string>): string => {
  const filters = names.filter(isFilter)
  if (filters.length === 0 && !names.includes("Filter")) {
    const end = text.indexOf("endstream", from)
    return end === -1 || end - from > mostInflated ? unsafe() : text.slice(from, end)
  }
  if (filters.join() !== "FlateDecode" || names.includes("DecodeParms") || names.includes("DP"))
    return unsafe()
  try {
    const options = { maxOutputLength: mostInflated, finishFlush: constants.Z_SYNC_FLUSH }
    return inflateSync(file.subarray(from), options).toString("latin1")
  } catch {
    return unsafe()
  }
}

/** An object stream begins with `n` pairs of object number and offset; its objects begin at `first`. */
const lookIntoStream = (text: string, dictionary: List, deeds: Deeds): void => {
  const [n, first] = [wholeOf(dictionary, "N"), wholeOf(dictionary, "First")]
  const table = text
    .slice(0, first)
    .split(/[\0\t\n\f\r ]+/)
    .filter((word) => word !== "")
  if (first > text.length || 2 * n > table.length || table.some((word) => !/^\d{1,9}$/.test(word))) unsafe()
  const reader = readerOf(text, deeds)
  for (let index = 0; index < 2 * n; index += 2) {
    const at = first + Number(table[index + 1])
    const found = at > text.length ? unsafe() : reader.object(at, true)
    if (found !== undefined && isUnknown(found.value)) unsafe()
    if (found !== undefined) remember(deeds, Number(table[index]), found.value)
  }
}

/** The start of the run of characters of that kind that ends at `at`. */
const before = (text: string, at: number, isOfKind: (code: number) => boolean): number => {
  let start = at
  while (start > 0 && isOfKind(text.charCodeAt(start - 1))) start--
  return start
}

/** A comment on its own line or after a number. */
const comment = /(?:^|\d)[^\x21-\x7e]*%/

/** The position before the white space and comments that precede `at`. */
const beforeSpace = (text: string, at: number): number => {
  for (let from = at; ; ) {
    const end = before(text, from, isSpace)
    if (!/[\r\n]/.test(text.slice(end, from))) return end
    const start = before(text, end, isInLine)
    const found = comment.exec(text.slice(start, end))
    if (found === null) return end
    from = start + found.index + found[0].length - 1
  }
}

/** The number before the generation and `obj`; without one, no reader finds the object. */
const numberBefore = (text: string, at: number): number | undefined => {
  const generationEnd = beforeSpace(text, at)
  const generation = before(text, generationEnd, isDigit)
  const end = beforeSpace(text, generation)
  const start = before(text, end, isDigit)
  return generation < generationEnd && end < generation && start < end
    ? Number(text.slice(start, end))
    : undefined
}

const refuseDeeds = (file: Buffer, text: string): void => {
  const deeds: Deeds = { byItself: noDeed(), byNumber: new Map() }
  const reader = readerOf(text, deeds)
  let left = mostInflatedTogether
  for (const { 0: keyword, index } of text.matchAll(/obj|trailer/g)) {
    const number = keyword === "obj" ? numberBefore(text, index) : undefined
    const found = reader.object(index + keyword.length, number !== undefined)
    if (found === undefined || keyword === "trailer") continue
    remember(deeds, number, found.value)
    const { end, names, value } = found
    if (number !== undefined && isUnknown(value)) {
      if (!["endobj", "stream"].some((word) => reader.behindWord(end, word) !== undefined)) unsafe()
    }
    if (!isDictionary(value)) continue
    const has = (name: string) => value.items.some((item) => isName(item, name))
    // The stream's content is in another file.
    if (has("F") && reader.behindWord(end, "stream") !== undefined) unsafe()
    // Readers recognise an object stream by its type or by its required entries.
    if (!has("ObjStm") && !(has("First") && has("N"))) continue
    const stream = reader.behindWord(end, "stream")
    if (stream === undefined) {
      if (has("ObjStm") || reader.behindWord(end, "endobj") === undefined) unsafe()
      continue
    }
    const [lineBreak = ""] = /^(?:\r\n|\n|\r)?/.exec(text.slice(stream, stream + 2)) ?? []
    const objects = inflated(file, text, stream + lineBreak.length, names)
    left -= objects.length
    if (left < 0) unsafe()
    lookIntoStream(objects, value, deeds)
  }
  refuseAddresses(deeds)
}

/** Whether nothing in the file can act. Takes time proportional to the file's size. */
export const isSafePdf = (file: Buffer): boolean => {
  try {
    refuseDeeds(file, file.toString("latin1"))
    return true
  } catch (cause) {
    if (cause instanceof Unsafe) return false
    throw cause
  }
}
