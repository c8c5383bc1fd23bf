/**
 * Creates a promise on the first call and shares it with all callers. After a failure, the next call tries again.
 *
 * A plain promise, not an effect: if the first client disconnects, its interruption must not become the shared result.
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
