import { defineConfig, mergeConfig } from "vitest/config"
import { isFull, sized } from "../support/run/fault-size.ts"
import base from "../vitest.config.ts"

/**
 * The tests of `bun run faults`: processes killed, databases lost, disks filled, floods. They count what is lost or answered wrongly,
 * and never how long it takes: that is for `bun run bench`. What waits has a generous deadline, so that a hang fails by its name.
 *
 * `FAULTS=ci` is the size for each change. Most of its files wait for something, so two run at a time; at full size each has the
 * whole machine. Files of `bun run test` whose tests have a full size as well are here at that size.
 */
const config = mergeConfig(
  base,
  defineConfig({
    test: {
      poolOptions: { forks: { isolate: true } },
      testTimeout: sized(300_000, 900_000),
      maxWorkers: sized(2, 1),
      minWorkers: sized(2, 1)
    }
  })
)

const alsoInFull = ["test/http/fuzz.test.ts", "test/keys/replicas.test.ts"]

export default {
  ...config,
  test: { ...config.test, include: ["test/faults/**/*.test.ts", ...(isFull ? alsoInFull : [])], exclude: [] }
}
