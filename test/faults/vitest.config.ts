import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"

/**
 * The tests of `bun run faults`: processes killed, databases lost, disks filled, floods. They count what is lost or answered wrongly.
 * One at a time: each takes the whole machine.
 */
const config = mergeConfig(
  base,
  defineConfig({
    test: {
      poolOptions: { forks: { isolate: true } },
      testTimeout: 300_000,
      maxWorkers: 1
    }
  })
)

export default { ...config, test: { ...config.test, include: ["test/faults/**/*.test.ts"], exclude: [] } }
