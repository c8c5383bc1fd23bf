/** Every timeout and every pause of the server, by name. */
import { pauses } from "./pauses.ts"
import { timeouts } from "./timeouts.ts"

export type TimeoutName = keyof typeof timeouts
export type PauseName = keyof typeof pauses

export interface Times {
  readonly timeouts: Readonly<Record<TimeoutName, number>>
  readonly pauses: Readonly<Record<PauseName, number>>
}

/** What production uses, in milliseconds. */
export const productionTimes: Times = { timeouts, pauses }
