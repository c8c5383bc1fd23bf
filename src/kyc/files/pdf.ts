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
 */
import { constants, inflateSync } from "node:zlib"

const dangerous = new Set([
  ...["JavaScript", "Rendition", "Launch", "EmbeddedFile", "EmbeddedFiles", "EF", "FileAttachment", "GoToE"],
  ...["GoToR", "RichMedia", "OnInstantiate", "Movie", "Sound", "XFA", "SubmitForm", "ImportData", "Encrypt"],
  ...["Thread", "FFilter", "OPI"]
])

/** Bytes that one object stream, and all of a file, may become. */
const mostInflated = 16_777_216
const mostInflatedTogether = 67_108_864

/** Objects do not stand in one another's text: reading them all is reading the file once, or it was made to take long. */
const mostReadings = 4

/** No honest file comes near these; the words are those of one object. */
const mostObjects = 250_000
const mostWords = 1_000_000
const mostDepth = 100

class Unsafe extends Error {}

const unsafe = (): never => {
  throw new Unsafe()
}

interface List {
  readonly mark: "<<" | "["
  readonly items: ReadonlyArray<Value>
}

/** An object, as far as it matters here. */
type Value = { readonly name: string } | { readonly word: string } | { readonly reference: number } | List

const isList = (value: Value | undefined): value is List => value !== undefined && "mark" in value

const isDictionary = (value: Value | undefined): value is List => isList(value) && value.mark === "<<"

const isName = (value: Value | undefined, name: string): boolean =>
  value !== undefined && "name" in value && value.name === name

/** A word that no reader knows where an object has to begin; there are programs that write `59endobj`. */
const isUnknown = (value: Value): boolean =>
  "word" in value && !/^(?:[-+.\d]+|true|false|null)?(?:endobj)?$/.test(value.word)

const wordsOf = (parts: ReadonlyArray<string>): ReadonlyArray<Value> =>
  parts.filter((part) => part !== "").map((word) => ({ word }))

const isWhole = (value: Value | undefined): value is { readonly word: string } =>
  value !== undefined && "word" in value && /^\d{1,9}$/.test(value.word)

/** What stands behind the name in a dictionary. Readers differ on which counts when it is there twice. */
const valuesOf = ({ items }: List, name: string): ReadonlyArray<Value> =>
  items.flatMap((item, index) => {
    const next = items[index + 1]
    return isName(item, name) && next !== undefined ? [next] : []
  })

/**
 * Whether a dictionary names another file: as the address of one, or to show a page of it. Alone, `FS` is a glyph too, and `Ref` a list
 * of places in the text.
 */
const leadsOut = (dictionary: List): boolean =>
  valuesOf(dictionary, "Ref").some((value) => "reference" in value || isDictionary(value)) ||
  (valuesOf(dictionary, "FS").length > 0 && ["F", "UF"].some((name) => valuesOf(dictionary, name).length > 0))

/** A list with its references: `5 0 R` is one thing. */
const listOf = (mark: List["mark"], words: ReadonlyArray<Value>): List => {
  const items: Array<Value> = []
  for (const item of words) {
    const number = items.at(-2)
    if ("word" in item && item.word === "R" && isWhole(number) && isWhole(items.at(-1))) {
      items.splice(-2, 2, { reference: Number(number.word) })
    } else items.push(item)
  }
  return { mark, items }
}

/** What happens when an object is used as an action, or as a list or a dictionary of actions. */
interface Deed {
  opensAddress: boolean
  /** Whether it can be an action, or lead to one: a dictionary that does not say what it does is a page. */
  mayAct: boolean
  /** The numbers of the objects that come next. */
  readonly next: Array<number>
  /** The numbers of objects that are pages to go to, unless they can act. */
  readonly pages: Array<number>
}

/** Adds to the deed what the object does as an action. */
const follow = (value: Value, deed: Deed): void => {
  if ("reference" in value) deed.next.push(value.reference)
  if (!isList(value)) return
  const kinds = isDictionary(value) ? valuesOf(value, "S") : []
  if (kinds.some((kind) => !("name" in kind) || kind.name === "URI")) deed.opensAddress = true
  const [first, second] = value.items
  // A place to go to is a page and then a name. As a list of actions it begins with what is no page.
  const isPlace = !isDictionary(value) && second !== undefined && "name" in second
  if (isPlace && first !== undefined && "reference" in first) deed.pages.push(first.reference)
  for (const item of kinds.length > 0 ? valuesOf(value, "Next") : value.items.slice(isPlace ? 1 : 0)) {
    follow(item, deed)
  }
}

/** All that the file does, and what it does by itself. */
interface Deeds {
  readonly byItself: Deed
  readonly byNumber: Map<number, Deed>
}

const noDeed = (): Deed => ({ opensAddress: false, mayAct: false, next: [], pages: [] })

const remember = ({ byNumber }: Deeds, number: number | undefined, value: Value): void => {
  const deed = (number === undefined ? undefined : byNumber.get(number)) ?? noDeed()
  follow(value, deed)
  if (!isDictionary(value) || valuesOf(value, "S").length > 0) deed.mayAct = true
  if (number !== undefined) byNumber.set(number, deed)
  // Of which object it is one cannot be told: it may be one that is used by itself.
  else if (deed.opensAddress && isDictionary(value) && valuesOf(value, "S").length > 0) unsafe()
  if (byNumber.size > mostObjects) unsafe()
}

const refuseAddresses = ({ byItself, byNumber }: Deeds): void => {
  if (byItself.opensAddress) unsafe()
  const reached = new Set<number>()
  const reach = ({ next, pages }: Deed) => {
    for (const number of next) reached.add(number)
    for (const number of pages) if (byNumber.get(number)?.mayAct) reached.add(number)
  }
  reach(byItself)
  // A set is gone through to what was added on the way.
  for (const number of reached) {
    const deed = byNumber.get(number)
    if (deed?.opensAddress) unsafe()
    if (deed !== undefined) reach(deed)
  }
}

const decoded = (name: string): string =>
  name.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Bytes that are neither printable nor white space (ISO 32000-2, section 7.2.3); white space has ended a name or a word before. */
const odd = /[^\x21-\x7e]+/
/** What no program writes into a name, although ISO 32000-2 allows it. */
const oddInName = /[^\x21-\x7e\x81-\xfe]/

/** Whatever some reader may take for white space. */
const isSpace = (code: number): boolean => code < 0x21 || code > 0x7e
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isInLine = (code: number): boolean => code !== 10 && code !== 13

/** Behind white space and comments: a mark, a name, the beginning of a string, a whole hexadecimal string, or a word. */
const token =
  /(?:[\0\t\n\f\r ]|%[^\r\n]*(?:[\r\n]|$))*(?:(<<|>>|[[\]])|\/([^\0\t\n\f\r ()<>[\]{}/%]*)|(\()|<[\0\t\n\f\r 0-9A-Fa-f]*>|([^\0\t\n\f\r ()<>[\]{}/%]+))/y

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

interface Reading {
  readonly value: Value
  /** All names in it, keys and values, also of what is within it. */
  readonly names: ReadonlyArray<string>
  readonly end: number
}

/** Reads a text here and there, and refuses to read it over and over. */
const readerOf = (text: string, { byItself }: Deeds) => {
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

  /** The generation and the `R` that make a reference of the number before `token.lastIndex`; the place behind them. */
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
   * The object that comes next; undefined when there is none, or it is a string. It is refused when a name in it is dangerous, and
   * when its end cannot be told: readers would each read something else.
   *
   * @param isReached whether readers go to this place, so that what some of them may skip is refused; elsewhere it may be a picture
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
        // There are readers for which U+0000 ends a text.
        if (dangerous.has(name) || name.includes("\0") || (isReached && oddInName.test(written))) unsafe()
        names.push(name)
        value = { name }
        others = wordsOf(rest)
      } else if (word === undefined) {
        // A string in hexadecimal digits.
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

  /** Whether the word comes next, and the place behind it. */
  const behindWord = (from: number, word: string): number | undefined => {
    let at = behindSpace(from)
    while (at < text.length && isSpace(text.charCodeAt(at))) at = behindSpace(at + 1)
    return text.startsWith(word, at) ? at + word.length : undefined
  }

  return { object, behindWord }
}

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

/** The one whole number behind a name. */
const wholeOf = (dictionary: List, name: string): number => {
  const [value, ...others] = valuesOf(dictionary, name)
  return isWhole(value) && others.length === 0 ? Number(value.word) : unsafe()
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
