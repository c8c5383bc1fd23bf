/** Overlong UTF-8 of what can make up a dot segment: lax decoders take it. */
const overlong: Readonly<Record<string, string>> = {
  "%c0%ae": ".",
  "%c0%af": "/",
  "%c1%9c": "/",
  "%e0%80%ae": ".",
  "%e0%80%af": "/"
}

/** A `%` however often it is encoded is decoded at once; the character behind it, where it is one of ASCII. */
const encoded = /%(?:25)+|%(?:c0%a[ef]|c1%9c|e0%80%a[ef])|%[0-7][0-9a-f]/gi

/** What decodes differently again and again is nobody's path. */
const maxPasses = 8

/** `..;x` too: there are servers that cut off what follows a semicolon before they resolve dots. */
const dotSegment = /(?:^|[/\\])\.\.?(?:;[^/\\]*)?(?:$|[/\\])/

const decodedOnce = (path: string): string =>
  path.replace(encoded, (octets) => {
    if (octets.startsWith("%25")) return "%"
    return overlong[octets.toLowerCase()] ?? String.fromCharCode(Number.parseInt(octets.slice(1), 16))
  })

/** Whether a path stays the path it looks like however often it is decoded by those who get it: no dot segment, no NUL. */
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
