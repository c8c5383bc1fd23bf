/** The 400 sentences of a route, read from the schemas of its headers, query and body. */
import { Option, SchemaAST } from "effect"
import { sentenceCode } from "./error-code.ts"

/** A 400 sentence and its code (`http/contract/error-code`). */
interface Reject {
  readonly message: string
  readonly code: string
}

const codeId = Symbol.for("doorlock/http/code")
const choiceId = Symbol.for("doorlock/http/choice")

/** Annotates a schema or a filter whose sentence has this code, because the derived one would clash. */
export const withCode = (code: string) => ({ [codeId]: code })

/** Annotates a filter that chooses between these sentences by the value. */
export const oneOf = (...messages: ReadonlyArray<string>) => ({ [choiceId]: messages })

// The casts: only the two functions above write these annotations.
const codeOf = (annotations: SchemaAST.Annotations) => annotations[codeId] as string | undefined
const choiceOf = (annotations: SchemaAST.Annotations) =>
  (annotations[choiceId] as ReadonlyArray<string> | undefined) ?? []

/** A schema's parts, in the order in which they are checked. */
const partsOf = (ast: SchemaAST.AST): ReadonlyArray<Reject> => {
  switch (ast._tag) {
    case "Refinement":
      return rejectsOf(ast.from)
    case "Transformation":
      return SchemaAST.isTypeLiteral(ast.from) ? rejectsOf(ast.from) : [ast.from, ast.to].flatMap(rejectsOf)
    case "Union":
      // Only the first issue is answered, which is that of the first member.
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

/** Every sentence with which a schema refuses a value. */
export const rejectsOf = (ast: SchemaAST.AST): ReadonlyArray<Reject> => {
  // The cast: the messages of this service are constants.
  const said = Option.getOrUndefined(SchemaAST.getMessageAnnotation(ast))?.(undefined as never)
  const isObject = typeof said === "object" && "override" in said
  const own = said === undefined ? [] : [String(isObject ? said.message : said)]
  const rejects = [...own, ...choiceOf(ast.annotations)].map((message) => ({
    message,
    code: codeOf(ast.annotations) ?? sentenceCode(message)
  }))
  return isObject && said.override ? rejects : [...partsOf(ast), ...rejects]
}
