/** How far a fault is taken: as far as fits beside all other tests, or to what is promised (`bun run faults`). */
export const isFull = process.env.FAULTS === "full"

export const sized = (usual: number, full: number): number => (isFull ? full : usual)
