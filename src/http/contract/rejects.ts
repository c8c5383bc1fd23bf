/** The 400 messages of a route, read from the schemas of its headers, query and body. */
import { Option, SchemaAST } from "effect"
import { sentenceCode } from "./error-code.ts"

interface Reject {
  readonly message: string
  readonly code: string
}

const codeId = Symbol.for("doorlock/http/code")
const choiceId = Symbol.for("doorlock/http/choice")

/** Annotates a schema or filter with a code, because the derived one would clash. */
export const withCode = (code: string) => ({ [codeId]: code })

/** Annotates a filter that chooses one of these messages by the value. */
export const oneOf = (...messages: ReadonlyArray<string>) => ({ [choiceId]: messages })

// The casts: only the two functions above write these annotations.
const codeOf = (annotations: SchemaAST.Annotations) => annotations[codeId] as string | undefined
const choiceOf = (annotations: SchemaAST.Annotations) =>
  (annotations[choiceId] as ReadonlyArray<string> | undefined) ?? []

/** The messages of a schema's parts, in the order of the checks. */
const partsOf = (ast: SchemaAST.AST): ReadonlyArray<Reject> => {
  switch (ast._tag) {
    case "Refinement":
      return rejectsOf(ast.from)
    case "Transformation":
      return SchemaAST.isTypeLiteral(ast.from) ? rejectsOf(ast.from) : [ast.from, ast.to].flatMap(rejectsOf)
    case "Union":
      // Only the first issue is reported, which is that of the first member.
      return ast.types.slice(0, 1).flatMap(rejectsOf)
    case "TypeLiteral":
      return ast.propertySignatures.flatMap((field) => [
        ...Option.toArray(SchemaAST.getMissingMessageAnnotation(field)).map((message) => ({
          message: String(message()),
          code: sentenceCode(String(message()))
        })),
        ...rejectsOf(field.type)
      ])
    default:
      return []
  }
}

/** Every message with which a schema refuses a value. */
export const rejectsOf = (ast: SchemaAST.AST): ReadonlyArray<Reject> => {
  // The cast: doorlock's messages are constants.
  const said = Option.getOrUndefined(SchemaAST.getMessageAnnotation(ast))?.(undefined as never)
  const isObject = typeof said === "object" && "override" in said
  const own = said === undefined ? [] : [String(isObject ? said.message : said)]
  const rejects = [...own, ...choiceOf(ast.annotations)].map((message) => ({
    message,
    code: codeOf(ast.annotations) ?? sentenceCode(message)
  }))
  return isObject && said.override ? rejects : [...partsOf(ast), ...rejects]
}
