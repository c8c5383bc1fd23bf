import { parseId } from "./secrets/identifier.ts"

/** Where a page of a list ended, which has the newest first. */
export interface Cursor {
  readonly createdAt: Date
  readonly id: string
}

export const writeCursor = ({ createdAt, id }: Cursor): string =>
  Buffer.from(`${createdAt.getTime()}.${id}`).toString("base64url")

/** A list's `next_cursor`: where the page ended, or null on the last one. */
export const nextCursor = (
  page: ReadonlyArray<{ readonly created_at: Date; readonly id: string }>,
  hasMore: boolean
): string | null => {
  const last = hasMore ? page.at(-1) : undefined
  return last === undefined ? null : writeCursor({ createdAt: last.created_at, id: last.id })
}

/** The cursor that `text` stands for, or undefined when it was not written by us. */
export const readCursor = (text = ""): Cursor | undefined => {
  const parts = /^(\d{1,15})\.(.+)$/.exec(Buffer.from(text, "base64url").toString())
  const id = parseId(parts?.[2] ?? "")
  if (parts === null || id === undefined) return undefined
  const cursor = { createdAt: new Date(Number(parts[1])), id }
  // The decoder passes over what is not base64url; such text was not written by us either.
  return writeCursor(cursor) === text ? cursor : undefined
}
