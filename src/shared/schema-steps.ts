/**
 * A schema compiled into plain functions, for the usual kinds of schemas. A value that does not match gets no reason here: the library's parser
 * reports it.
 */
import { Effect, Either, Option, SchemaAST } from "effect"

/** The result for a value that does not match. */
export const misfit = Symbol("misfit")

export type Step = (value: unknown) => unknown

type Direction = "decode" | "encode"

const options: SchemaAST.ParseOptions = {}

const when =
  (fits: (value: unknown) => boolean): Step =>
  (value) =>
    fits(value) ? value : misfit

/** Like the library, it runs an effect at once. One that waits, or needs a service, counts as a misfit. */
const settled = (result: Effect.Effect<unknown, unknown, unknown>): unknown => {
  if (Either.isEither(result)) return Either.isRight(result) ? result.right : misfit
  // The cast: it dies without the services that it needs.
  const exit = Effect.runSyncExit(result as Effect.Effect<unknown, unknown>)
  return exit._tag === "Success" ? exit.value : misfit
}

const propertiesOf = (
  { indexSignatures, propertySignatures }: SchemaAST.TypeLiteral,
  direction: Direction
): Step | undefined => {
  if (indexSignatures.length > 0 || propertySignatures.length === 0) return undefined
  const properties: Array<{ readonly name: string; readonly isOptional: boolean; readonly step: Step }> = []
  for (const { isOptional, name, type } of propertySignatures) {
    const step = stepOf(type, direction)
    // The assignment of `__proto__` would change what an object inherits.
    if (step === undefined || typeof name !== "string" || name === "__proto__") return undefined
    properties.push({ name, isOptional, step })
  }
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return misfit
    const given = value as Readonly<Record<string, unknown>>
    const made: Record<string, unknown> = {}
    for (const { isOptional, name, step } of properties) {
      if (isOptional && !Object.hasOwn(given, name)) continue
      // A required field may be missing if its schema takes `undefined`.
      const result = step(given[name])
      if (result === misfit) return misfit
      made[name] = result
    }
    return made
  }
}

const itemsOf = ({ elements, rest }: SchemaAST.TupleType, direction: Direction): Step | undefined => {
  const [item] = rest
  const step =
    elements.length === 0 && rest.length === 1 && item !== undefined
      ? stepOf(item.type, direction)
      : undefined
  if (step === undefined) return undefined
  return (value) => {
    if (!Array.isArray(value)) return misfit
    const made: Array<unknown> = []
    // Unlike `map`, it does not skip holes.
    for (const item of value) {
      const result = step(item)
      if (result === misfit) return misfit
      made.push(result)
    }
    return made
  }
}

/** The side of a transformation that a value comes from. */
const sourceOf = ({ from, to }: SchemaAST.Transformation, direction: Direction): SchemaAST.AST =>
  direction === "decode" ? from : to

const mayBeObject = (ast: SchemaAST.AST, direction: Direction): boolean => {
  switch (ast._tag) {
    case "StringKeyword":
    case "NumberKeyword":
    case "BooleanKeyword":
    case "UndefinedKeyword":
    case "Literal":
      return false
    case "Refinement":
      return mayBeObject(ast.from, direction)
    case "Transformation":
      return mayBeObject(sourceOf(ast, direction), direction)
    default:
      return true
  }
}

const literalFields = (ast: SchemaAST.AST, direction: Direction): ReadonlyArray<PropertyKey> => {
  switch (ast._tag) {
    case "TypeLiteral": {
      const side = direction === "decode" ? SchemaAST.encodedAST : SchemaAST.typeAST
      const required = ast.propertySignatures.filter(({ isOptional }) => !isOptional)
      return required.filter(({ type }) => SchemaAST.isLiteral(side(type))).map(({ name }) => name)
    }
    case "Refinement":
      return literalFields(ast.from, direction)
    case "Transformation":
      return literalFields(sourceOf(ast, direction), direction)
    default:
      return []
  }
}

const memberOf = ({ types }: SchemaAST.Union, direction: Direction): Step | undefined => {
  const objects = types.filter((type) => mayBeObject(type, direction))
  const [fields = [], ...others] = objects.map((type) => literalFields(type, direction))
  const [field] = fields
  // Of several members that fit an object, the library prefers those with a literal field, and otherwise the first one.
  if (fields.length > 1 || others.some((other) => other.length !== fields.length || other[0] !== field))
    return undefined
  const steps = types.flatMap((type) => stepOf(type, direction) ?? [])
  if (steps.length < types.length) return undefined
  return (value) => {
    // The library reads a literal field only if it is the object's own.
    if (field !== undefined && typeof value === "object" && value !== null && !Object.hasOwn(value, field))
      return misfit
    for (const step of steps) {
      const made = step(value)
      if (made !== misfit) return made
    }
    return misfit
  }
}

const refined = (ast: SchemaAST.Refinement, direction: Direction): Step | undefined => {
  // Encoding begins with a check, which also leaves out the fields that the filter must not see.
  const first = stepOf(direction === "decode" ? ast.from : SchemaAST.typeAST(ast.from), "decode")
  const last: Step | undefined = direction === "decode" ? (value) => value : stepOf(ast.from, direction)
  if (first === undefined || last === undefined) return undefined
  return (value) => {
    const made = first(value)
    return made === misfit || ast.filter(made, options, ast)._tag === "Some" ? misfit : last(made)
  }
}

/** Moves and transforms the fields of an object, which the step before it has made. */
const movingFields = (
  { propertySignatureTransformations: moves }: SchemaAST.TypeLiteralTransformation,
  direction: Direction
): Step | undefined => {
  const fields = moves.map(({ decode, encode, from, to }) =>
    direction === "decode" ? { from, to, transform: decode } : { from: to, to: from, transform: encode }
  )
  const sources = new Set(fields.map(({ from }) => from))
  // The library moves one after another, so these would depend on the order.
  if (fields.some(({ from, to }) => from !== to && sources.has(to))) return undefined
  return (value) => {
    const given = value as Readonly<Record<PropertyKey, unknown>>
    const made: Record<PropertyKey, unknown> = {}
    for (const name in given) if (!sources.has(name)) made[name] = given[name]
    for (const { from, to, transform } of fields) {
      const moved = transform(Object.hasOwn(given, from) ? Option.some(given[from]) : Option.none())
      if (moved._tag === "Some") made[to] = moved.value
    }
    return made
  }
}

/** `given` is what the transformation's first side has made of `original`. */
type Transform = (given: unknown, original: unknown) => unknown

const transformation = (ast: SchemaAST.Transformation, direction: Direction): Transform | undefined => {
  const { transformation } = ast
  switch (transformation._tag) {
    case "ComposeTransformation":
      return (given) => given
    case "FinalTransformation": {
      const transform = transformation[direction]
      return (given, original) => settled(transform(given, options, ast, original))
    }
    case "TypeLiteralTransformation":
      return movingFields(transformation, direction)
  }
}

const transformed = (ast: SchemaAST.Transformation, direction: Direction): Step | undefined => {
  const first = stepOf(sourceOf(ast, direction), direction)
  const transform = transformation(ast, direction)
  const last = stepOf(direction === "decode" ? ast.to : ast.from, direction)
  if (first === undefined || transform === undefined || last === undefined) return undefined
  return (value) => {
    const given = first(value)
    if (given === misfit) return misfit
    const made = transform(given, value)
    return made === misfit ? misfit : last(made)
  }
}

/** Undefined for what only the library can do. */
export const stepOf = (ast: SchemaAST.AST, direction: Direction): Step | undefined => {
  if (SchemaAST.ParseOptionsAnnotationId in ast.annotations) return undefined
  if (SchemaAST.DecodingFallbackAnnotationId in ast.annotations) return undefined
  switch (ast._tag) {
    case "StringKeyword":
      return when((value) => typeof value === "string")
    case "NumberKeyword":
      return when((value) => typeof value === "number")
    case "BooleanKeyword":
      return when((value) => typeof value === "boolean")
    case "UndefinedKeyword":
      return when((value) => value === undefined)
    case "Literal":
      return when((value) => value === ast.literal)
    case "UnknownKeyword":
    case "AnyKeyword":
      return when(() => true)
    case "Declaration": {
      if (ast.typeParameters.length > 0) return undefined
      const parse = direction === "decode" ? ast.decodeUnknown() : ast.encodeUnknown()
      return (value) => settled(parse(value, options, ast))
    }
    case "TypeLiteral":
      return propertiesOf(ast, direction)
    case "TupleType":
      return itemsOf(ast, direction)
    case "Union":
      return memberOf(ast, direction)
    case "Refinement":
      return refined(ast, direction)
    case "Transformation":
      return transformed(ast, direction)
    default:
      return undefined
  }
}
