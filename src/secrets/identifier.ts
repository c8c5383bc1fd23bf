/** Identifiers of stored resources: UUIDs of version 7, so that rows of one time lie together in the index. */
export const newId = (): string => Bun.randomUUIDv7()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * The canonical form of an id from a request, or undefined when it cannot name anything: such an id is
 * answered like an unknown one (contract.md#ids).
 */
export const parseId = (text: string): string | undefined => {
  const lower = text.toLowerCase()
  return uuid.test(lower) ? lower : undefined
}
