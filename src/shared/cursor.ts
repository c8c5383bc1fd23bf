import { parseId } from "./identifier.ts"

/** The last item of a page. Lists start with the newest item. */
export interface Cursor {
  readonly createdAt: Date
  readonly id: string
}

/**
 * Cursors of one list as clients see them: texts that mean nothing to them.
 * @param parse undefined for what `write` cannot have returned
 */
export const cursorsOf = <A>(write: (place: A) => string, parse: (written: string) => A | undefined) => {
  const encoded = (place: A): string => Buffer.from(write(place)).toString("base64url")
  return {
    write: encoded,
    /** Undefined if `write` cannot have returned the text. */
    read: (text: string): A | undefined => {
      const place = parse(Buffer.from(text, "base64url").toString())
      // The decoder skips characters that are not base64url; a cursor has none.
      return place !== undefined && encoded(place) === text ? place : undefined
    }
  }
}

const cursors = cursorsOf<Cursor>(
  ({ createdAt, id }) => `${createdAt.getTime()}.${id}`,
  (written) => {
    const [, at, rest = ""] = /^(\d{1,15})\.(.+)$/.exec(written) ?? []
    const id = parseId(rest)
    return id === undefined ? undefined : { createdAt: new Date(Number(at)), id }
  }
)

export const writeCursor = cursors.write

/** The cursor of the next page, or null on the last page. */
export const nextCursor = (
  page: ReadonlyArray<{ readonly created_at: Date; readonly id: string }>,
  hasMore: boolean
): string | null => {
  const last = hasMore ? page.at(-1) : undefined
  return last === undefined ? null : writeCursor({ createdAt: last.created_at, id: last.id })
}

/** Undefined if `writeCursor` cannot have returned the text. */
export const readCursor = (text = ""): Cursor | undefined => cursors.read(text)
