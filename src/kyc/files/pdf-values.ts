/** The parts of PDF objects that decide whether an object can act. */

/** The file can act, or it cannot be shown that it does not. */
export class Unsafe extends Error {}

export const unsafe = (): never => {
  throw new Unsafe()
}

export interface List {
  readonly mark: "<<" | "["
  readonly items: ReadonlyArray<Value>
}

/** An object, reduced to those parts. */
export type Value =
  | { readonly name: string }
  | { readonly word: string }
  | { readonly reference: number }
  | List

export const isList = (value: Value | undefined): value is List => value !== undefined && "mark" in value

export const isDictionary = (value: Value | undefined): value is List => isList(value) && value.mark === "<<"

export const isName = (value: Value | undefined, name: string): boolean =>
  value !== undefined && "name" in value && value.name === name

/** Whether a word is unknown to readers where an object must begin. Some programs write `59endobj`. */
export const isUnknown = (value: Value): boolean =>
  "word" in value && !/^(?:[-+.\d]+|true|false|null)?(?:endobj)?$/.test(value.word)

export const wordsOf = (parts: ReadonlyArray<string>): ReadonlyArray<Value> =>
  parts.filter((part) => part !== "").map((word) => ({ word }))

export const isWhole = (value: Value | undefined): value is { readonly word: string } =>
  value !== undefined && "word" in value && /^\d{1,9}$/.test(value.word)

/** The values of a name in a dictionary. If the name occurs twice, readers differ on which value counts. */
export const valuesOf = ({ items }: List, name: string): ReadonlyArray<Value> =>
  items.flatMap((item, index) => {
    const next = items[index + 1]
    return isName(item, name) && next !== undefined ? [next] : []
  })

/** An address of another file, or a page in one. Alone, `FS` may be a glyph, and `Ref` a list of places. */
export const leadsOut = (dictionary: List): boolean =>
  valuesOf(dictionary, "Ref").some((value) => "reference" in value || isDictionary(value)) ||
  (valuesOf(dictionary, "FS").length > 0 && ["F", "UF"].some((name) => valuesOf(dictionary, name).length > 0))

/** Builds a list, in which `5 0 R` becomes one reference. */
export const listOf = (mark: List["mark"], words: ReadonlyArray<Value>): List => {
  const items: Array<Value> = []
  for (const item of words) {
    const number = items.at(-2)
    if ("word" in item && item.word === "R" && isWhole(number) && isWhole(items.at(-1))) {
      items.splice(-2, 2, { reference: Number(number.word) })
    } else items.push(item)
  }
  return { mark, items }
}

/** The integer value of a name that must occur exactly once. */
export const wholeOf = (dictionary: List, name: string): number => {
  const [value, ...others] = valuesOf(dictionary, name)
  return isWhole(value) && others.length === 0 ? Number(value.word) : unsafe()
}
