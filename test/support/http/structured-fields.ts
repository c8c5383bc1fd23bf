/** Reads structured field lists (RFC 9651) of strings with integer parameters. */

export interface Item {
  readonly name: string
  readonly parameters: Readonly<Record<string, number>>
}

/** Dies if the text is not such a list. Parses strictly by the grammar, so that leniency hides no fault. */
export const parseItems = (text: string): ReadonlyArray<Item> => {
  let rest = text
  const eat = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0]
    if (found !== undefined) rest = rest.slice(found.length)
    return found
  }
  const need = (pattern: RegExp): string => {
    const found = eat(pattern)
    if (found === undefined)
      throw new Error(`No ${pattern.source} at ${JSON.stringify(rest)} of ${JSON.stringify(text)}`)
    return found
  }
  const items: Array<Item> = []
  do {
    const name: unknown = JSON.parse(need(/^"[\x20-\x21\x23-\x5b\x5d-\x7e]*"/))
    const parameters: Record<string, number> = {}
    while (eat(/^; */) !== undefined) {
      const key = need(/^[a-z*][a-z0-9_\-.*]*/)
      need(/^=/)
      parameters[key] = Number(need(/^-?\d{1,15}(?!\d)/))
    }
    items.push({ name: String(name), parameters })
  } while (eat(/^[ \t]*,[ \t]*/) !== undefined)
  if (rest !== "") throw new Error(`What is ${JSON.stringify(rest)} in ${JSON.stringify(text)}?`)
  return items
}
