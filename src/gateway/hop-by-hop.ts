/** Fields of one connection, not of the message (RFC 9110, section 7.6.1). */
export const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const none: ReadonlySet<string> = new Set()

/** The lower-case names of further hop-by-hop fields in `Connection`, whose lines are joined by commas. */
export const nominated = (connection: string | null | undefined): ReadonlySet<string> => {
  if (connection === null || connection === undefined) return none
  const value = connection.toLowerCase()
  return value === "keep-alive" || value === "close" || value === ""
    ? none
    : new Set(value.split(",").map((name) => name.trim()))
}
