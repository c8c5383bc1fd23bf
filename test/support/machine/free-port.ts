import { Effect, Schedule } from "effect"
import { probePort } from "../../../src/shared/port.ts"

/** Below the ports of outgoing connections, so no connection takes one while its server starts or restarts. */
const [lowest, count] = [20_000, 12_000]
let previous = Math.floor(Math.random() * count)

/** A free port of 127.0.0.1. Servers that one process starts at the same time never get the same one, because each call takes the next. */
export const freePort: Effect.Effect<number> = Effect.suspend(() => {
  previous = (previous + 1) % count
  return probePort("127.0.0.1", lowest + previous)
}).pipe(Effect.retry(Schedule.recurs(100)), Effect.orDie)
