/** Reads JSON of unknown shape: a value of the wrong type counts as missing. */

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A document that should be a `T`: its field names are those of `T`, but their values are unchecked. */
export type Unchecked<T> = { readonly [Key in T extends unknown ? keyof T : never]?: unknown }

export const object = <T = Json>(value: unknown): Unchecked<T> => (isObject(value) ? value : {})

export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

export const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const texts = (value: unknown): ReadonlyArray<string> =>
  list(value).filter((entry) => typeof entry === "string")

export const objects = <T = Json>(value: unknown): ReadonlyArray<Unchecked<T>> => list(value).filter(isObject)

/** The value if it is one of the known ones, else undefined. */
export const oneOf = <A extends string>(value: unknown, known: ReadonlyArray<A>): A | undefined =>
  known.find((entry) => entry === value)

/** Parses JSON; undefined if it is invalid. */
export const parse = (source: string): unknown => {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

export type Path = ReadonlyArray<string | number>

/** The value at a path in a document; undefined if there is none. */
export const at = (document: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, document)
