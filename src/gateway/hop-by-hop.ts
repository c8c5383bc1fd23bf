/** Fields that are about one connection and not about the message (RFC 9110, section 7.6.1). */
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

/**
 * The further fields that a `Connection` field names as being about the connection, in lower case.
 *
 * @param connection all lines of it, joined by commas; an empty line among them hides nothing
 */
export const nominated = (connection: string | null | undefined): ReadonlySet<string> => {
  if (connection === null || connection === undefined) return none
  const value = connection.toLowerCase()
  return value === "keep-alive" || value === "close" || value === ""
    ? none
    : new Set(value.split(",").map((name) => name.trim()))
}
