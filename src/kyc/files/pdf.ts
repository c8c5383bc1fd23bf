/**
 * Whether a PDF (ISO 32000-2) can do something to whoever opens it: run a script, start a program, open another document or an
 * address by itself, carry another file, send what was entered. An encrypted one cannot be looked into, and counts as one that can.
 *
 * Every object is looked at, wherever it stands, since a table of offsets may point anywhere, even into a string; and those of object
 * streams, which are the one place where objects are compressed. What is only text, as in a string, metadata or a page, is no object.
 *
 * Readers differ on which bytes are white space: PDFium takes 0x80 and 0xFF for it. Here every byte that is not printable ASCII ends a
 * name or a word, so that none hides what stands before it or behind it. In an object with a number, which is what readers go to,
 * such a byte is refused; but names have other bytes above 0x7F in honest files.
 *
 * By hand, since libraries such as pdf.js read a file as one reader does, by its tables, and so pass over what other readers find.
 */
import { constants, inflateSync } from "node:zlib"
import { type Deeds, noDeed, refuseAddresses, remember } from "./pdf-deeds.ts"
import { isDigit, isInLine, isSpace, readerOf } from "./pdf-reader.ts"
import { isDictionary, isName, isUnknown, type List, Unsafe, unsafe, wholeOf } from "./pdf-values.ts"

/** Bytes that one object stream, and all of a file, may become. */
const mostInflated = 16_777_216
const mostInflatedTogether = 67_108_864

/** Names of filters, and what stands for them. */
const isFilter = (name: string): boolean => /Decode$|^(?:Fl|LZW|A85|AHx|RL|CCF|DCT|Crypt)$/.test(name)

/** The text of an object stream. One that is compressed in another way than all programs do it is not looked into. */
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

/** Looks at the objects of an object stream: first come `n` pairs of their numbers and places, and at `first` they begin. */
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

/** The place before what stands before `at` and is of that kind. */
const before = (text: string, at: number, isOfKind: (code: number) => boolean): number => {
  let start = at
  while (start > 0 && isOfKind(text.charCodeAt(start - 1))) start--
  return start
}

/** A comment that has a line to itself, or stands behind a number. */
const comment = /(?:^|\d)[^\x21-\x7e]*%/

/** The place before the white space and the comments before `at`. */
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

/** The number of an object before its word `obj`, and before its generation; undefined when there is none, so that nobody finds it. */
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
    // What the stream holds is in another file.
    if (has("F") && reader.behindWord(end, "stream") !== undefined) unsafe()
    // Readers tell one by its type, or by what it cannot do without.
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

/** Whether nothing in the file can act. It takes time in proportion to the file's size. */
export const isSafePdf = (file: Buffer): boolean => {
  try {
    refuseDeeds(file, file.toString("latin1"))
    return true
  } catch (cause) {
    if (cause instanceof Unsafe) return false
    throw cause
  }
}
