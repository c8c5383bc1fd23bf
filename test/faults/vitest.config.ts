import { isFull, sized } from "../support/run/fault-size.ts"
import { ring } from "../support/run/ring.ts"

const alsoInFull = ["test/http/fuzz.test.ts", "test/keys/replicas.test.ts"]

/** These have no small size that is worth its time: nobody leads for 20 s after a leader was killed, and an image is built for as long. */
const onlyInFull = ["test/faults/failover.test.ts", "test/faults/image.test.ts"]

/**
 * The tests of `bun run faults`: killed processes, lost databases, full disks, floods. They count lost data and wrong
 * responses, never time: `bun run bench` measures that. Every wait has a generous deadline, so that a hang fails under its
 * own name.
 *
 * `FAULTS=ci` is the size for each change. Most of its files wait for something, so three run at a time; at full size each has
 * the whole machine. Files of `bun run test` with a full size also run here at that size.
 */
export default ring({
  include: ["test/faults/**/*.test.ts", ...(isFull ? alsoInFull : [])],
  exclude: isFull ? [] : onlyInFull,
  testTimeout: sized(300_000, 900_000),
  maxWorkers: sized(3, 1),
  minWorkers: sized(3, 1)
})
