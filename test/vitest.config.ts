import { defineConfig } from "vitest/config"

/**
 * The tests of `bun run test`: the whole contract, in minutes. Tests in a browser and tests that break things have a configuration
 * of their own, `test/browser/vitest.config.ts` and `test/faults/vitest.config.ts`.
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    watch: false,
    include: ["test/**/*.test.ts"],
    exclude: ["test/browser/**", "test/faults/**"],
    globalSetup: [`${import.meta.dirname}/support/postgres.ts`],
    setupFiles: [`${import.meta.dirname}/support/run/setup.ts`],
    reporters: ["default", `${import.meta.dirname}/support/run/summary.ts`],
    pool: "forks",
    // The files of a process share its modules, and the server of `TestServer`. Loading them for each file took more time than the tests.
    poolOptions: { forks: { isolate: false } },
    // As many at least: tinypool may crash when it ends a worker that has nothing to do.
    minWorkers: 2,
    maxWorkers: 2,
    // Generous, for a machine that does other things as well: what hangs is to be told from what is slow.
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
})
