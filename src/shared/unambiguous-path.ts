/** Overlong UTF-8 for parts of a dot segment, which lax decoders accept. */
const overlong: Readonly<Record<string, string>> = {
  "%c0%ae": ".",
  "%c0%af": "/",
  "%c1%9c": "/",
  "%e0%80%ae": ".",
  "%e0%80%af": "/"
}

/** A `%` encoded any number of times, and the encoded ASCII characters. */
const encoded = /%(?:25)+|%(?:c0%a[ef]|c1%9c|e0%80%a[ef])|%[0-7][0-9a-f]/gi

/** No honest path needs more rounds of decoding. */
const maxPasses = 8

/**
 * Also `..;x`: some servers cut off a semicolon and what follows before they resolve dots. URL parsers (WHATWG) end a path at `?` and `#`, and
 * cut off spaces and control characters at its end.
 */
const dotSegment = /(?:^|[/\\])\.\.?(?:;[^/\\]*)?(?:[\0- ]*$|[/\\?#])/

/** What URL parsers remove from anywhere in a URL. */
const removed = /[\t\n\r]/

const decodedOnce = (path: string): string =>
  path.replace(encoded, (octets) => {
    if (octets.startsWith("%25")) return "%"
    const character =
      overlong[octets.toLowerCase()] ?? String.fromCharCode(Number.parseInt(octets.slice(1), 16))
    return removed.test(character) ? "" : character
  })

/** Whether no number of decodings reveals a dot segment or NUL in the path, even if it is then parsed as part of a URL. */
export const isUnambiguous = (path: string): boolean => {
  let current = path
  for (let pass = 0; pass < maxPasses; pass++) {
    if ((current.includes(".") && dotSegment.test(current)) || current.includes("\0")) return false
    const decoded = current.includes("%") ? decodedOnce(current) : current
    if (decoded === current) return true
    current = decoded
  }
  return false
}
