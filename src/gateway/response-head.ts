/**
 * Reading the head of an upstream's answer (RFC 9112), strictly: what two readers could take for two different messages
 * is an error, since connections to an upstream are shared by its callers.
 */
import { UpstreamFault } from "./faults.ts"

export interface ResponseHead {
  readonly status: number
  /** Names, in lower case, and values in turn, line by line as they came. */
  readonly fields: ReadonlyArray<string>
  /** The `Connection` field, all lines of it. */
  readonly connection: string | undefined
  readonly framing: Framing
  /** Whether another request may follow on the connection. */
  readonly persistent: boolean
  /** Seconds for which the upstream says it keeps an idle connection. */
  readonly keepAliveSeconds: number | undefined
}

/** How the end of the body is known. */
export type Framing =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Length"; readonly bytes: number }
  | { readonly _tag: "Chunked" }
  | { readonly _tag: "UntilClose" }

/** Bytes of a head, at most. */
export const maxHeadBytes = 65_536

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/

/** A token, a colon, and a value between optional white space (RFC 9112, section 5); a folded line is none. */
const fieldLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/s

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the octets that no field value may hold
const forbiddenOctet = /[\x00\n\r]/

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

/**
 * Parses a head; throws an `UpstreamFault` for one that is none.
 *
 * @param text status line and fields, without the empty line, one code unit an octet
 */
export const parseResponseHead = (text: string, method: string): ResponseHead => {
  const lines = text.split("\r\n")
  const [, minor = "", code = ""] = statusLine.exec(lines[0] ?? "") ?? []
  if (code === "") throw malformed()
  const fields: Array<string> = []
  const lengths: Array<string> = []
  let coding: string | undefined
  let connection: string | undefined
  let keepAliveSeconds: number | undefined
  for (let at = 1; at < lines.length; at++) {
    const [, rawName = "", value = ""] = fieldLine.exec(lines[at] ?? "") ?? []
    if (rawName === "" || forbiddenOctet.test(value)) throw malformed()
    const name = rawName.toLowerCase()
    fields.push(name, value)
    if (name === "content-length") lengths.push(value)
    else if (name === "transfer-encoding") coding = coding === undefined ? value : `${coding}, ${value}`
    else if (name === "connection") connection = connection === undefined ? value : `${connection}, ${value}`
    else if (name === "keep-alive")
      keepAliveSeconds = Number(/timeout=(\d{1,6})/i.exec(value)?.[1] ?? Number.NaN)
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
