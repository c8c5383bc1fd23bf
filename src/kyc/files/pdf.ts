/**
 * Whether a PDF (ISO 32000-2) can do something to whoever opens it: run a script, start a program, open another document or an
 * address by itself, carry another file, send what was entered. An encrypted one cannot be looked into, and counts as one that can.
 *
 * Every object is looked at, wherever it stands, since a table of offsets may point anywhere, even into a string; and those of object
 * streams, which are the one place where objects are compressed. What is only text, as in a string, metadata or a page, is no object.
 */
import { constants, inflateSync } from "node:zlib"

const dangerous = new Set([
  ...["JavaScript", "Rendition", "Launch", "EmbeddedFile", "EmbeddedFiles", "EF", "FileAttachment", "GoToE"],
  ...["GoToR", "RichMedia", "OnInstantiate", "Movie", "Sound", "XFA", "SubmitForm", "ImportData", "Encrypt"]
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

const isWhole = (value: Value | undefined): value is { readonly word: string } =>
  value !== undefined && "word" in value && /^\d{1,9}$/.test(value.word)

/** What stands behind the name in a dictionary. Readers differ on which counts when it is there twice. */
const valuesOf = ({ items }: List, name: string): ReadonlyArray<Value> =>
  items.flatMap((item, index) => {
    const next = items[index + 1]
    return isName(item, name) && next !== undefined ? [next] : []
  })

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
  /** The numbers of the objects that come next. */
  readonly next: Array<number>
}

/** Adds to the deed what the object does as an action. */
const follow = (value: Value, deed: Deed): void => {
  if ("reference" in value) deed.next.push(value.reference)
  else if (isDictionary(value)) {
    const kinds = valuesOf(value, "S")
    if (kinds.some((kind) => !("name" in kind) || kind.name === "URI")) deed.opensAddress = true
    for (const item of kinds.length > 0 ? valuesOf(value, "Next") : value.items) follow(item, deed)
  } else if (
    // A place to go to has a page and then a name.
    isList(value) &&
    value.items.every((item) => "reference" in item || isDictionary(item))
  )
    for (const item of value.items) follow(item, deed)
}

/** All that the file does, and what it does by itself. */
interface Deeds {
  readonly byItself: Deed
  readonly byNumber: Map<number, Deed>
}

const noDeed = (): Deed => ({ opensAddress: false, next: [] })

const remember = ({ byNumber }: Deeds, number: number | undefined, value: Value): void => {
  const deed = (number === undefined ? undefined : byNumber.get(number)) ?? noDeed()
  follow(value, deed)
  if (number !== undefined) byNumber.set(number, deed)
  // Of which object it is one cannot be told: it may be one that is used by itself.
  else if (deed.opensAddress && isDictionary(value) && valuesOf(value, "S").length > 0) unsafe()
  if (byNumber.size > mostObjects) unsafe()
}

const refuseAddresses = ({ byItself, byNumber }: Deeds): void => {
  if (byItself.opensAddress) unsafe()
  const reached = new Set(byItself.next)
  // A set is gone through to what was added on the way.
  for (const number of reached) {
    const deed = byNumber.get(number)
    if (deed?.opensAddress) unsafe()
    for (const next of deed?.next ?? []) reached.add(next)
  }
}

const decoded = (name: string): string =>
  name.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

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

  /**
   * The object that comes next; undefined when there is none, or it is a string. It is refused when a name in it is dangerous, and
   * when its end cannot be told: readers would each read something else.
   */
  const object = (from: number): Reading | undefined => {
    const names: Array<string> = []
    let words = 0
    const open: Array<{ readonly mark: List["mark"]; readonly items: Array<Value> }> = []
    token.lastIndex = behindSpace(from)
    for (;;) {
      const at = token.lastIndex
      const match = token.exec(text)
      if (match === null) return open.length === 0 ? undefined : unsafe()
      const [, mark, written, string, word] = match
      if (string !== undefined) {
        if (open.length === 0) return undefined
        token.lastIndex = behindString(text, token.lastIndex - 1)
      }
      spend(token.lastIndex - at)
      if (words++ > mostWords) unsafe()
      let value: Value
      if (mark === "<<" || mark === "[") {
        if (open.push({ mark, items: [] }) > mostDepth) unsafe()
        continue
      }
      if (mark !== undefined) {
        const closed = open.pop()
        if (closed === undefined) return undefined
        if ((closed.mark === "<<") !== (mark === ">>")) return unsafe()
        const list = listOf(closed.mark, closed.items)
        for (const name of ["OpenAction", "AA"]) {
          for (const action of isDictionary(list) ? valuesOf(list, name) : []) follow(action, byItself)
        }
        value = list
      } else if (written !== undefined) {
        const name = decoded(written)
        if (dangerous.has(name)) unsafe()
        names.push(name)
        value = { name }
      } else value = { word: word ?? "" }
      const around = open.at(-1)
      if (around === undefined) return { value, names, end: token.lastIndex }
      around.items.push(value)
    }
  }

  /** Whether the word comes next, and the place behind it. */
  const behindWord = (from: number, word: string): number | undefined => {
    const at = behindSpace(from)
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
    const found = at > text.length ? unsafe() : reader.object(at)
    if (found !== undefined) remember(deeds, Number(table[index]), found.value)
  }
}

/** Before the word `obj`: the object's number and its generation. */
const numbered = /(?:^|[^\d])(\d{1,9})[\0\t\n\f\r ]+\d{1,9}[\0\t\n\f\r ]*$/

const refuseDeeds = (file: Buffer, text: string): void => {
  const deeds: Deeds = { byItself: noDeed(), byNumber: new Map() }
  const reader = readerOf(text, deeds)
  let left = mostInflatedTogether
  for (const { 0: keyword, index } of text.matchAll(/obj|trailer/g)) {
    const found = reader.object(index + keyword.length)
    if (found === undefined || keyword === "trailer") continue
    const [, number] = numbered.exec(text.slice(Math.max(0, index - 40), index)) ?? []
    remember(deeds, number === undefined ? undefined : Number(number), found.value)
    const { end, names, value } = found
    if (!isDictionary(value)) continue
    const has = (name: string) => value.items.some((item) => isName(item, name))
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
