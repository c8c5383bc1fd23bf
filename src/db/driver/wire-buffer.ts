/** Messages of the extended query protocol (PostgreSQL documentation, 54.7), written one behind the other. */

/** A time as Postgres reads it, which has no sign and more digits for years beyond 9999, and `BC` for those before 1. */
const timeText = (time: Date): string => {
  const iso = time.toISOString()
  const year = time.getUTCFullYear()
  if (year >= 1 && year <= 9999) return iso
  const rest = iso.slice(iso.indexOf("-", 1))
  return year > 9999 ? `${year}${rest}` : `${String(1 - year).padStart(4, "0")}${rest} BC`
}

/** What is bound to a parameter: text, or bytes as they are. */
const parameterOf = (value: unknown): string | Uint8Array | null => {
  switch (typeof value) {
    case "string":
      return value
    case "undefined":
      return null
    case "object":
      if (value === null || value instanceof Uint8Array) return value
      if (value instanceof Date) return timeText(value)
      return Array.isArray(value) ? arrayLiteral(value) : JSON.stringify(value)
    default:
      return String(value)
  }
}

/** An array as Postgres reads it (8.15.6); elements in quotes, so that nothing in them means anything. */
const arrayLiteral = (values: ReadonlyArray<unknown>): string =>
  `{${values
    .map((value) => {
      if (Array.isArray(value)) return arrayLiteral(value)
      const text = parameterOf(value)
      if (text === null) return "NULL"
      const quotable = typeof text === "string" ? text : `\\x${Buffer.from(text).toString("hex")}`
      return `"${quotable.replace(/["\\]/g, "\\$&")}"`
    })
    .join()}}`

const [bind, parse] = ["B", "P"].map((letter) => letter.charCodeAt(0)) as [number, number]

/** Describe the unnamed portal. */
const describe = Buffer.from("D\0\0\0\x06P\0", "latin1")

/** Execute the unnamed portal to its end, and Sync: an implicit transaction of its own. */
const executeAndSync = Buffer.from("E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04", "latin1")

const initialSize = 4_096

/** Collects messages, so that all of a turn of the event loop leave in one write. */
export class Outbox {
  #bytes = Buffer.allocUnsafe(initialSize)
  #length = 0

  /** Bytes that have been collected. */
  get length(): number {
    return this.#length
  }

  /** Forgets what has been collected beyond `length` bytes. */
  cut(length: number): void {
    this.#length = length
  }

  /** Prepare `text` as `name`. */
  parse(name: string, text: string): void {
    const start = this.#begin(parse)
    this.#cString(name)
    this.#cString(text)
    this.#int16(0)
    this.#end(start)
  }

  /** Bind `values` to the statement `name`, for an answer in text; throws for a value that has no text. */
  bind(name: string, values: ReadonlyArray<unknown>): void {
    const start = this.#begin(bind)
    this.#cString("")
    this.#cString(name)
    this.#int16(values.length)
    let format = this.#length
    this.#ensure(2 * values.length)
    this.#length += 2 * values.length
    this.#int16(values.length)
    for (const value of values) {
      const parameter = parameterOf(value)
      if (parameter === null) this.#int32(-1)
      else if (typeof parameter === "string") this.#string(parameter)
      else this.#binary(parameter)
      const isBinary = parameter !== null && typeof parameter !== "string"
      this.#bytes[format++] = 0
      this.#bytes[format++] = isBinary ? 1 : 0
    }
    this.#int16(0)
    this.#end(start)
  }

  describe(): void {
    this.#constant(describe)
  }

  executeAndSync(): void {
    this.#constant(executeAndSync)
  }

  /** All that was collected; the outbox is empty afterwards. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    // One large body must not be held for ever.
    if (this.#bytes.length > 16 * initialSize) this.#bytes = Buffer.allocUnsafe(initialSize)
    return taken
  }

  #ensure(more: number): void {
    if (this.#bytes.length - this.#length >= more) return
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + more)
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  /** Where the message begins; its length is filled in by `#end`. */
  #begin(type: number): number {
    const start = this.#length
    this.#ensure(5)
    this.#bytes[start] = type
    this.#length += 5
    return start
  }

  #end(start: number): void {
    this.#bytes.writeUInt32BE(this.#length - start - 1, start + 1)
  }

  #constant(message: Buffer): void {
    this.#ensure(message.length)
    this.#bytes.set(message, this.#length)
    this.#length += message.length
  }

  #int16(value: number): void {
    this.#ensure(2)
    this.#bytes[this.#length++] = value >>> 8
    this.#bytes[this.#length++] = value & 0xff
  }

  #int32(value: number): void {
    this.#ensure(4)
    this.#bytes.writeInt32BE(value, this.#length)
    this.#length += 4
  }

  #cString(text: string): void {
    this.#ensure(3 * text.length + 1)
    this.#length += this.#bytes.write(text, this.#length)
    this.#bytes[this.#length++] = 0
  }

  #string(text: string): void {
    // A code unit takes three bytes of UTF-8 at most.
    this.#ensure(4 + 3 * text.length)
    const written = this.#bytes.write(text, this.#length + 4)
    this.#int32(written)
    this.#length += written
  }

  #binary(bytes: Uint8Array): void {
    this.#int32(bytes.length)
    this.#ensure(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }
}
