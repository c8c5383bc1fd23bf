import type { Client } from "pg"

type Parse = (text: string) => unknown

/** A column as the server describes it (`RowDescription`). */
export interface Field {
  readonly name: string
  readonly dataTypeID: number
}

export type TypeParsers = Pick<Client, "getTypeParser">

const timestamptz = 1184

/** Parses a UTC timestamp, truncated to milliseconds; `otherwise` parses every other format. */
const parseTime =
  (otherwise: Parse): Parse =>
  (text) => {
    if (text[4] !== "-" || !text.endsWith("+00")) return otherwise(text)
    const end = Math.min(text.length - 3, 23)
    const time = new Date(`${text.slice(0, 10)}T${text.slice(11, end)}Z`)
    return Number.isNaN(time.getTime()) ? otherwise(text) : time
  }

export type Shape = "object" | "array"

/** The columns of a statement, which parse its rows from text. */
export class Columns {
  readonly #names: ReadonlyArray<string>
  readonly #parse: ReadonlyArray<Parse>

  constructor(parsers: TypeParsers, fields: ReadonlyArray<Field>) {
    this.#names = fields.map(({ name }) => name)
    this.#parse = fields.map(({ dataTypeID }) => {
      const parse: Parse = parsers.getTypeParser(dataTypeID, "text")
      return dataTypeID === timestamptz ? parseTime(parse) : parse
    })
  }

  row(fields: ReadonlyArray<string | null>, shape: Shape): unknown {
    if (shape === "array") return fields.map((text, at) => this.#value(text, at))
    const row: Record<string, unknown> = {}
    const names = this.#names
    for (let at = 0; at < names.length; at++) row[names[at] ?? ""] = this.#value(fields[at] ?? null, at)
    return row
  }

  #value(text: string | null, at: number): unknown {
    return text === null ? null : this.#parse[at]?.(text)
  }
}
