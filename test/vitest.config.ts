import { defineConfig } from "vitest/config"

/** Tests whose subject is time itself, and those that wait for a browser: they run by themselves, after all others. */
const timed = [
  "test/faults/start.test.ts",
  "test/faults/stop.test.ts",
  "test/db/embedded.test.ts",
  "test/marketplace/usage-processes.test.ts",
  "test/gateway/memory.test.ts",
  "test/gateway/streaming.test.ts",
  "test/browser/**/*.test.ts"
]

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    pool: "forks",
    maxWorkers: 2,
    minWorkers: 1,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          globalSetup: ["test/support/postgres.ts"],
          include: ["test/**/*.test.ts"],
          exclude: timed,
          sequence: { groupOrder: 0 }
        }
      },
      {
        extends: true,
        test: {
          name: "timed",
          globalSetup: ["test/support/postgres.ts"],
          include: timed,
          // A browser on a busy machine takes its time; what hangs is told by the browser's own, shorter waits.
          testTimeout: 60_000,
          poolOptions: { forks: { singleFork: true } },
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
