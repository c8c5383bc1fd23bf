/** The stored files of a session, as what looks at photos needs them. */
import { Effect } from "effect"
import type { Files } from "../files/service.ts"

export type Stored = Effect.Effect.Success<ReturnType<Files["stored"]>>[number]

/** Whether files of this type are looked at. */
export const isLookedAt = ({ file }: Stored): boolean => file.content_type !== "application/pdf"

/** Each file once: of an image the copy, which is upright and was made by another decoder. */
export const eachOnce = (stored: ReadonlyArray<Stored>): ReadonlyArray<Stored> => {
  const copied = new Set(stored.filter(({ original }) => !original).map(({ file }) => file.id))
  return stored.filter(({ file, original }) => !original || !copied.has(file.id))
}

/** None: the store does not give it. */
export const contentOf = ({ open }: Stored) =>
  Effect.option(Effect.flatMap(open, (stream) => Effect.tryPromise(() => new Response(stream).bytes())))
