/** Calls to paste into a shell. What of them a publisher has written cannot end the quotes it stands in. */

/** A text in single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Everything that is not plainly part of a path is percent-encoded, so that a line stays a line. */
const plainPath = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9\-._~/{}:@!$&()*+,;=%]/gu, (character) =>
    character === "'" ? "%27" : encodeURIComponent(character)
  )

interface Call {
  readonly method?: string
  readonly gateway: string
  /** From the gateway's address. */
  readonly path: string
  readonly key: string
  /** A body as JSON. */
  readonly json?: unknown
}

/** A call through the gateway with curl. */
export const curl = ({ gateway, json, key, method = "GET", path }: Call): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(gateway + plainPath(path))}`,
    `-H ${quoted(`x-api-key: ${key}`)}`,
    ...(json === undefined
      ? []
      : [`-H ${quoted("content-type: application/json")}`, `-d ${quoted(JSON.stringify(json))}`])
  ].join(" \\\n  ")
