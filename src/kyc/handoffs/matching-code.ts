import { randomInt } from "node:crypto"

/** Two digits, easy to read and type. All 90 are equally likely, and there is only one guess. */
export const newMatchingCode = (): string => String(randomInt(10, 100))
