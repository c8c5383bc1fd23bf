/** The segments of a JSON Pointer into the same document (`#/...`, RFC 6901), or undefined. */
export const parsePointer = (reference: string): ReadonlyArray<string> | undefined => {
  if (!reference.startsWith("#/")) return undefined
  try {
    return reference
      .slice(2)
      .split("/")
      .map((segment) => decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~"))
  } catch {
    return undefined
  }
}

export const writePointer = (segments: ReadonlyArray<string>): string =>
  `#/${segments
    .map((segment) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1")))
    .join("/")}`
