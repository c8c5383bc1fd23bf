/** A UUID version 7, so that rows created together are close in the index. */
export const newId = (): string => Bun.randomUUIDv7()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The canonical form of an id; undefined if malformed, which means unknown (contract.md#ids). */
export const parseId = (text: string): string | undefined => {
  const lower = text.toLowerCase()
  return uuid.test(lower) ? lower : undefined
}
