/** A UUID version 7, so that rows created together are close in the index. */
export const newId = (): string => Bun.randomUUIDv7()

const mostMillis = 2 ** 48 - 1

/** The lowest id that can have been made at this time: ids begin with their time. */
export const firstIdOf = (time: number): string => {
  const hex = Math.min(Math.max(Math.trunc(time), 0), mostMillis)
    .toString(16)
    .padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The canonical form of an id; undefined if malformed, which means unknown (contract.md#ids). */
export const parseId = (text: string): string | undefined => {
  const lower = text.toLowerCase()
  return uuid.test(lower) ? lower : undefined
}
