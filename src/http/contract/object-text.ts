/** Objects in bodies that a route needs only as text. Large ones are never created in the main thread. */
import { SchemaAST } from "effect"

/** Annotates a field whose object is needed as text. */
export const asText = Symbol.for("doorlock/http/asText")

/** An object that the body thread has parsed, checked and serialized again. */
export class ObjectText {
  /** JSON; undefined for an object that cannot be stored. */
  readonly text: string | undefined

  constructor(text: string | undefined) {
    this.text = text
  }
}

/** A body's fields that are needed as text, and its others. Other names are ignored. */
export interface Fields {
  readonly texts: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

const isText = (ast: SchemaAST.AST): boolean =>
  ast.annotations[asText] === true || (SchemaAST.isUnion(ast) && ast.types.some(isText))

/** Undefined if no field is needed as text. */
export const fieldsOf = (ast: SchemaAST.AST): Fields | undefined => {
  const struct = SchemaAST.isTransformation(ast) ? ast.from : ast
  const texts: Array<string> = []
  const others: Array<string> = []
  for (const { name, type } of SchemaAST.isTypeLiteral(struct) ? struct.propertySignatures : []) {
    ;(isText(type) ? texts : others).push(String(name))
  }
  return texts.length === 0 ? undefined : { texts, others }
}
