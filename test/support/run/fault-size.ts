/**
 * The size of a fault test: small for CI, so that every change can wait for it, or the full promised size
 * (`bun run faults`).
 */
export const isFull = process.env.FAULTS === "full"

/** The CI size or the full size of something. */
export const sized = (ci: number, full: number): number => (isFull ? full : ci)
