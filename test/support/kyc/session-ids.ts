/** An SQL expression for a new id, as a process makes it at this time. */
export const idAt = (time: string): string =>
  `(left(first_id_of(${time})::text, 14) || '7' || right(gen_random_uuid()::text, 21))::uuid`
