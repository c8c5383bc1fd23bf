import { defineConfig } from "vitest/config"
import { loadedByBun, tuneProcesses } from "./support/run/processes.ts"
import { chooseSeed } from "./support/run/seed.ts"
import { useMemory } from "./support/run/temporary.ts"

useMemory()
tuneProcesses()
chooseSeed()

/**
 * The core ring, `bun run test`: the whole contract, in minutes. `*.system.test.ts` and what is in `test/browser`, `test/faults` and
 * `test/pictures` have configurations of their own (docs/testing.md).
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    watch: false,
    include: ["test/**/*.test.ts"],
    exclude: ["test/**/*.system.test.ts", "test/browser/**", "test/faults/**", "test/pictures/**"],
    globalSetup: [`${import.meta.dirname}/support/postgres.ts`],
    setupFiles: [`${import.meta.dirname}/support/run/setup.ts`],
    reporters: ["default", `${import.meta.dirname}/support/run/summary.ts`],
    pool: "forks",
    server: { deps: { external: loadedByBun } },
    // The files of a process share its modules, and the server of `TestServer`. Loading the modules for each file took
    // longer than the tests.
    poolOptions: { forks: { isolate: false } },
    // Equal to the maximum: tinypool may crash when it ends an idle worker.
    minWorkers: 2,
    maxWorkers: 2,
    // Generous, for a busy or slow machine: only a test that hangs should time out.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
