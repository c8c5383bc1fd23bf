/** Shell commands. A publisher's text cannot break out of its quotes. */

/** A text in single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Percent-encodes all but the usual characters of a path, so that a command stays on one line. */
const plainPath = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9\-._~/{}:@!$&()*+,;=%]/gu, (character) =>
    character === "'" ? "%27" : encodeURIComponent(character)
  )

interface Call {
  readonly method?: string
  readonly gateway: string
  /** Relative to the gateway's address. */
  readonly path: string
  readonly key: string
  /** The body. */
  readonly json?: unknown
}

/** A curl command for a call through the gateway. */
export const curl = ({ gateway, json, key, method = "GET", path }: Call): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(gateway + plainPath(path))}`,
    `-H ${quoted(`x-api-key: ${key}`)}`,
    ...(json === undefined
      ? []
      : [`-H ${quoted("content-type: application/json")}`, `-d ${quoted(JSON.stringify(json))}`])
  ].join(" \\\n  ")
