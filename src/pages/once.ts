/**
 * A promise made when it is first asked for, and the same for all who ask; not one that failed, so that the next asks again.
 *
 * A plain promise, not an effect: a first client that goes away must not leave its interruption behind as the result.
 */
export const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
