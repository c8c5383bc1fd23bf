/** Rows of text, as the driver hands them over, made into objects. */
import type { Client } from "pg"

type Parse = (text: string) => unknown

/** A column as `RowDescription` tells it. */
export interface Field {
  readonly name: string
  readonly dataTypeID: number
}

const timestamptz = 1184

/** A time as a server in UTC writes it, to the millisecond below it; `otherwise` reads all other ways. */
const parseTime =
  (otherwise: Parse): Parse =>
  (text) => {
    if (text[4] !== "-" || !text.endsWith("+00")) return otherwise(text)
    const end = Math.min(text.length - 3, 23)
    const time = new Date(`${text.slice(0, 10)}T${text.slice(11, end)}Z`)
    return Number.isNaN(time.getTime()) ? otherwise(text) : time
  }

export type Shape = "object" | "array"

/** What the rows of one statement look like. */
export class Columns {
  readonly #names: ReadonlyArray<string>
  readonly #parse: ReadonlyArray<Parse>

  constructor(client: Client, fields: ReadonlyArray<Field>) {
    this.#names = fields.map(({ name }) => name)
    this.#parse = fields.map(({ dataTypeID }) => {
      const parse: Parse = client.getTypeParser(dataTypeID, "text")
      return dataTypeID === timestamptz ? parseTime(parse) : parse
    })
  }

  row(fields: ReadonlyArray<string | null>, shape: Shape): unknown {
    return shape === "object" ? this.#object(fields) : fields.map((text, at) => this.#value(text, at))
  }

  #object(fields: ReadonlyArray<string | null>): Record<string, unknown> {
    const row: Record<string, unknown> = {}
    const names = this.#names
    for (let at = 0; at < names.length; at++) row[names[at] ?? ""] = this.#value(fields[at] ?? null, at)
    return row
  }

  #value(text: string | null, at: number): unknown {
    return text === null ? null : this.#parse[at]?.(text)
  }
}
