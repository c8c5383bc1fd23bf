import { Effect, Option } from "effect"
import { parseId } from "./identifier.ts"

/** Fails if nothing was found. */
export const foundOr =
  <E2>(absent: () => E2) =>
  <A, E, R>(search: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.flatMap(search, Option.match({ onNone: () => Effect.fail(absent()), onSome: Effect.succeed }))

/** A malformed id fails like an unknown one (contract.md#ids). */
export const idOr = <E>(text: string, absent: () => E): Effect.Effect<string, E> => {
  const id = parseId(text)
  return id === undefined ? Effect.fail(absent()) : Effect.succeed(id)
}
