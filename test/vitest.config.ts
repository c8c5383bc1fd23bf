import { defineConfig } from "vitest/config"

/** Tests whose subject is time itself, or memory: they run one by one, with nothing beside them. */
const timed = [
  "test/faults/start.test.ts",
  "test/faults/backup.test.ts",
  "test/faults/database.test.ts",
  "test/faults/database-load.test.ts",
  "test/faults/pool.test.ts",
  "test/faults/read-only.test.ts",
  "test/faults/disk-full.test.ts",
  "test/faults/kill.test.ts",
  "test/faults/flood.test.ts",
  "test/faults/slow-clients.test.ts",
  "test/faults/stop.test.ts",
  "test/faults/workers.test.ts",
  "test/db/embedded.test.ts",
  "test/cli/embedded.test.ts",
  "test/keys/replicas.test.ts",
  "test/marketplace/replicas.test.ts",
  "test/marketplace/usage-processes.test.ts",
  "test/gateway/memory.test.ts",
  "test/gateway/published-routes.test.ts",
  "test/gateway/streaming.test.ts"
]

/** Tests that wait for a browser, of which one keeps two cores busy. */
const browser = ["test/browser/**/*.test.ts"]

const globalSetup = ["test/support/postgres.ts"]

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
          globalSetup,
          include: ["test/**/*.test.ts"],
          exclude: [...timed, ...browser],
          sequence: { groupOrder: 0 }
        }
      },
      {
        extends: true,
        test: {
          name: "browser",
          globalSetup: [...globalSetup, "test/support/shared-chromium.ts"],
          include: browser,
          // A browser on a busy machine takes its time; what hangs is told by the browser's own, shorter waits.
          testTimeout: 60_000,
          expect: { poll: { timeout: 8000 } },
          poolOptions: { forks: { singleFork: true } },
          sequence: { groupOrder: 1 }
        }
      },
      {
        extends: true,
        test: {
          name: "timed",
          globalSetup,
          include: timed,
          testTimeout: 60_000,
          poolOptions: { forks: { singleFork: true } },
          sequence: { groupOrder: 2 }
        }
      }
    ]
  }
})
