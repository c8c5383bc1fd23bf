/** Reads YAML. The library has 27 kB, so this is loaded only for a document that is not JSON. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml"
import { isObject, type Json, type Path } from "../../../json.ts"
import type { Syntax, SyntaxProblem } from "../../common/json/syntax.ts"

interface Read {
  readonly document: Document
  readonly lines: LineCounter
  /** The content as it is sent as JSON; undefined if there is a problem. */
  readonly content?: Json
  readonly problem?: SyntaxProblem
}

const problemAt = (line: number, message: string): SyntaxProblem => ({
  line,
  sentence: `Line ${line}: ${message}${message.endsWith(".") ? "" : "."}`
})

/** How often one anchor is used at most. An API may have hundreds of operations, and the same response in each of them. */
const mostAliases = 1_000

/** JSON has no aliases: the content has a copy for each of them. */
const contentOf = (document: Document): Pick<Read, "content" | "problem"> => {
  try {
    const content: unknown = document.toJS({ maxAliasCount: mostAliases })
    JSON.stringify(content)
    return isObject(content) ? { content } : { problem: problemAt(1, "The document must be an object") }
  } catch {
    return { problem: problemAt(1, "The document has too many aliases, or one that contains itself") }
  }
}

export const readYaml = (text: string): Read => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false })
  const [error] = document.errors
  if (error === undefined) return { document, lines, ...contentOf(document) }
  const { line } = lines.linePos(error.pos[0])
  const message = error.code === "MULTIPLE_DOCS" ? "There must be only one document" : error.message
  return { document, lines, problem: problemAt(line, message) }
}

/** Where the value of a key begins, counted in characters, and the value. */
const step = (document: Document, node: unknown, key: string | number) => {
  const target = isAlias(node) ? node.resolve(document) : node
  // The API writes a numeric name as an index.
  const named = isMap(target)
    ? target.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key))
    : undefined
  if (named !== undefined)
    return { value: named.value, offset: isScalar(named.key) ? named.key.range?.[0] : 0 }
  const value = isSeq<{ readonly range?: readonly [number, number, number] }>(target)
    ? target.items[Number(key)]
    : undefined
  return value && { value, offset: value.range?.[0] }
}

export const yaml: Syntax = {
  problemIn: (text) => readYaml(text).problem,
  lineOf: (text, place: Path) => {
    const { document, lines } = readYaml(text)
    let node: unknown = document.contents
    let line = 1
    for (const key of place) {
      const found = step(document, node, key)
      if (found === undefined) break
      node = found.value
      line = lines.linePos(found.offset ?? 0).line
    }
    return line
  }
}
