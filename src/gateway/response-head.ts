/** Parses response heads strictly (RFC 9112): on reused connections, the end of a response must be unambiguous. */
import { UpstreamFault } from "./faults.ts"

export interface ResponseHead {
  readonly status: number
  /** Alternating lower-case names and values, in the order received. */
  readonly fields: ReadonlyArray<string>
  /** All lines of the `Connection` field, joined by commas. */
  readonly connection: string | undefined
  readonly framing: Framing
  /** Whether another request may follow on the connection. */
  readonly persistent: boolean
  /** How long the upstream says that it keeps an idle connection open. */
  readonly keepAliveSeconds: number | undefined
}

/** How to find the end of the body. */
export type Framing =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Length"; readonly bytes: number }
  | { readonly _tag: "Chunked" }
  | { readonly _tag: "UntilClose" }

export const maxHeadBytes = 65_536

/** As many as Bun's server takes in a request. With thousands, it would take a response's headers hundreds of milliseconds. */
const maxFields = 200

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Lower-case names by the valid spellings that upstreams have sent, up to a number and a length. */
const knownNames = new Map<string, string>()
const maxKnownNames = 1_000
const maxKnownLength = 64

const NUL = 0
const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58

const malformed = () => new UpstreamFault("http_protocol_error")

const framingOf = (
  method: string,
  status: number,
  lengths: ReadonlyArray<string>,
  coding: string | undefined,
  minor: string
): Framing => {
  if (coding !== undefined) {
    if (lengths.length > 0 || minor === "0") throw malformed()
    if (coding.toLowerCase() !== "chunked") throw new UpstreamFault("http_response_transfer_coding")
  }
  const [length] = lengths
  if (lengths.some((other) => other !== length || !/^\d{1,15}$/.test(other))) throw malformed()
  if (method === "HEAD" || status === 204 || status === 304) return { _tag: "Empty" }
  if (coding !== undefined) return { _tag: "Chunked" }
  return length === undefined ? { _tag: "UntilClose" } : { _tag: "Length", bytes: Number(length) }
}

/** Throws for an invalid name, such as that of a folded line (RFC 9112, section 5). */
const nameOf = (written: string): string => {
  const known = knownNames.get(written)
  if (known !== undefined) return known
  if (!token.test(written)) throw malformed()
  if (written.length > maxKnownLength) return written.toLowerCase()
  // Begins anew, so that one upstream's made-up names do not keep out the names of others for long.
  if (knownNames.size === maxKnownNames) knownNames.clear()
  // A copy, because a part of a string keeps all of it in memory.
  const spelling = Buffer.from(written, "latin1").toString("latin1")
  const name = spelling.toLowerCase()
  knownNames.set(spelling, name)
  return name
}

/** Alternating lower-case names and values of the field lines that begin at `from`. */
const fieldsOf = (text: string, from: number): ReadonlyArray<string> => {
  const fields: Array<string> = []
  let start = from
  let colon = -1
  for (let at = from; at <= text.length; at++) {
    const octet = at === text.length ? CR : text.charCodeAt(at)
    if (octet === COLON) {
      if (colon === -1) colon = at
    } else if (octet === CR) {
      if (colon === -1 || (at < text.length && text.charCodeAt(at + 1) !== LF)) throw malformed()
      let first = colon + 1
      let end = at
      while (first < end && (text.charCodeAt(first) === SPACE || text.charCodeAt(first) === TAB)) first++
      while (end > first && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === TAB)) end--
      fields.push(nameOf(text.slice(start, colon)), text.slice(first, end))
      if (fields.length > 2 * maxFields) throw new UpstreamFault("http_response_header_section_size")
      at++
      start = at + 1
      colon = -1
      // The text would end with an empty line, which is not a field.
      if (start === text.length) throw malformed()
    } else if (octet === LF || octet === NUL) throw malformed()
  }
  return fields
}

/** Throws an `UpstreamFault`. `text`: the head without the empty line, one code unit per octet. */
export const parseResponseHead = (text: string, method: string): ResponseHead => {
  const lineEnd = text.indexOf("\r\n")
  const [, minor = "", code = ""] = statusLine.exec(lineEnd === -1 ? text : text.slice(0, lineEnd)) ?? []
  if (code === "") throw malformed()
  const fields = lineEnd === -1 ? [] : fieldsOf(text, lineEnd + 2)
  const lengths: Array<string> = []
  let coding: string | undefined
  let connection: string | undefined
  let keepAliveSeconds: number | undefined
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const value = fields[at + 1] ?? ""
    switch (fields[at]) {
      case "content-length":
        lengths.push(value)
        break
      case "transfer-encoding":
        coding = coding === undefined ? value : `${coding}, ${value}`
        break
      case "connection":
        connection = connection === undefined ? value : `${connection}, ${value}`
        break
      case "keep-alive":
        keepAliveSeconds = Number(/timeout=(\d{1,6})/i.exec(value)?.[1] ?? Number.NaN)
    }
  }
  const status = Number(code)
  const framing = framingOf(method, status, lengths, coding, minor)
  const closes = connection?.split(",").some((option) => option.trim().toLowerCase() === "close") === true
  return {
    status,
    fields,
    connection,
    framing,
    persistent: minor === "1" && !closes && framing._tag !== "UntilClose",
    keepAliveSeconds: keepAliveSeconds !== undefined && keepAliveSeconds >= 0 ? keepAliveSeconds : undefined
  }
}
