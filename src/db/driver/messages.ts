/** Postgres' extended query protocol (PostgreSQL documentation, 54.7), with values in text format. */
import { serialize } from "pg-protocol"

/** Postgres takes years after 9999 without a sign, and years before 1 with `BC`. */
const timeText = (time: Date): string => {
  const iso = time.toISOString()
  const year = time.getUTCFullYear()
  if (year >= 1 && year <= 9999) return iso
  const rest = iso.slice(iso.indexOf("-", 1))
  return year > 9999 ? `${year}${rest}` : `${String(1 - year).padStart(4, "0")}${rest} BC`
}

/** An array literal (PostgreSQL documentation, 8.15.6). In quotes, no character is special. */
const arrayText = (values: ReadonlyArray<unknown>): string =>
  `{${values
    .map((value) => {
      if (Array.isArray(value)) return arrayText(value)
      const encoded = encodeParameter(value)
      if (encoded === null) return "NULL"
      const text = typeof encoded === "string" ? encoded : `\\x${encoded.toString("hex")}`
      return `"${text.replace(/["\\]/g, "\\$&")}"`
    })
    .join()}}`

/** A buffer in binary format, everything else as text. Throws for a value without a text form. */
const encodeParameter = (value: unknown): string | Buffer | null => {
  switch (typeof value) {
    case "string":
      return value
    case "undefined":
      return null
    case "object":
      if (value === null) return null
      if (Buffer.isBuffer(value)) return value
      if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      if (value instanceof Date) return timeText(value)
      return Array.isArray(value) ? arrayText(value) : JSON.stringify(value)
    default:
      return String(value)
  }
}

export const parse = (name: string, text: string): Buffer => serialize.parse({ name, text })

/** Binds `values` to the prepared statement `name`, for rows as text. */
export const bind = (name: string, values: ReadonlyArray<unknown>): Buffer =>
  serialize.bind({ statement: name, values: values.map(encodeParameter) })

/** Requests the columns of the rows. */
export const describe = serialize.describe({ type: "P" })

const execute = serialize.execute()

/** Executes the bound statement. Outside a transaction block, Sync commits it. */
export const executeAndSync = Buffer.concat([execute, serialize.sync()])

/** Settings of the server, by their names. */
export type Settings = Readonly<Record<string, string | number>>

/** Sets what follows until the next Sync or the end of the transaction. Returns one row. */
export const set = (settings: Settings): Buffer =>
  Buffer.concat([
    parse(
      "",
      `select ${Object.entries(settings)
        .map(([name, value]) => `set_config('${name}', '${value}', true)`)
        .join(", ")}`
    ),
    bind("", []),
    execute
  ])

/** Asks whoever gave this key to cancel what its connection executes. Sent on a connection of its own. */
export const cancelRequest = (processId: number, secretKey: number): Buffer =>
  serialize.cancel(processId, secretKey)
