/**
 * The size of a fault test: small for CI, so that every change can wait for it, or the full promised size
 * (`bun run faults`).
 */
export const isFull = process.env.FAULTS === "full"

/** The CI size or the full size of something. */
export const sized = (ci: number, full: number): number => (isFull ? full : ci)

/**
 * How often a test kills the service: the number in `KILLS`, or the usual one of the size. The many starts take most of such a test's time.
 */
export const killsOf = (ci: number, full: number): number => Number(process.env.KILLS ?? sized(ci, full))

/** The timeout in milliseconds of a test with this many kills. */
export const timeoutOf = (kills: number): number => 300_000 + kills * 30_000
