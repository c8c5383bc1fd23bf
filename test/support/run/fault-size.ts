/** How far a fault is taken: at CI size, as far as each change can wait for, or to what is promised (`bun run faults`). */
export const isFull = process.env.FAULTS === "full"

/** The CI size of something, or its full size. */
export const sized = (ci: number, full: number): number => (isFull ? full : ci)
