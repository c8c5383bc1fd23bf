import { defineConfig } from "vitest/config"
import { loadedByBun, tuneProcesses } from "./support/run/processes.ts"
import { chooseSeed } from "./support/run/seed.ts"
import { useMemory } from "./support/run/temporary.ts"

useMemory()
tuneProcesses()
chooseSeed()

const isolated = "test/**/*.isolated.test.ts"

const shared = {
  root: `${import.meta.dirname}/..`,
  setupFiles: [`${import.meta.dirname}/support/run/setup.ts`],
  pool: "forks",
  server: { deps: { external: loadedByBun } },
  // Generous, for a busy or slow machine: only a test that hangs should time out.
  testTimeout: 300_000,
  hookTimeout: 300_000
} as const

/**
 * The core ring, `bun run test`: the whole contract, in minutes. `*.system.test.ts` and what is in `test/browser`, `test/faults` and
 * `test/pictures` have configurations of their own (docs/testing.md).
 */
export default defineConfig({
  test: {
    watch: false,
    globalSetup: [`${import.meta.dirname}/support/postgres.ts`],
    reporters: ["default", `${import.meta.dirname}/support/run/summary.ts`],
    // The files of a process share its modules, and the server of `TestServer`. Loading the modules for each file took
    // longer than the tests.
    poolOptions: { forks: { isolate: false } },
    // Equal to the maximum: tinypool may crash when it ends an idle worker.
    minWorkers: 2,
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: "core",
          include: ["test/**/*.test.ts"],
          exclude: [
            isolated,
            "test/**/*.system.test.ts",
            "test/browser/**",
            "test/faults/**",
            "test/pictures/**"
          ]
        }
      },
      {
        // Tests that replace or observe what a whole process shares: in processes of their own.
        test: { ...shared, name: "isolated", include: [isolated], restoreMocks: true, unstubGlobals: true }
      }
    ]
  }
})
