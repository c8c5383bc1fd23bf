import { parseId } from "./identifier.ts"

/** The last item of a page. Lists start with the newest item. */
export interface Cursor {
  readonly createdAt: Date
  readonly id: string
}

export const writeCursor = ({ createdAt, id }: Cursor): string =>
  Buffer.from(`${createdAt.getTime()}.${id}`).toString("base64url")

/** The cursor of the next page, or null on the last page. */
export const nextCursor = (
  page: ReadonlyArray<{ readonly created_at: Date; readonly id: string }>,
  hasMore: boolean
): string | null => {
  const last = hasMore ? page.at(-1) : undefined
  return last === undefined ? null : writeCursor({ createdAt: last.created_at, id: last.id })
}

/** Undefined if `writeCursor` cannot have returned the text. */
export const readCursor = (text = ""): Cursor | undefined => {
  const parts = /^(\d{1,15})\.(.+)$/.exec(Buffer.from(text, "base64url").toString())
  const id = parseId(parts?.[2] ?? "")
  if (parts === null || id === undefined) return undefined
  const cursor = { createdAt: new Date(Number(parts[1])), id }
  // The decoder skips characters that are not base64url; a cursor has none.
  return writeCursor(cursor) === text ? cursor : undefined
}
