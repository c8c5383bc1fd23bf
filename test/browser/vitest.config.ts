import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"

/**
 * The tests of `bun run test:browser`: walks through the pages in Chromium. A walk waits more than it computes, for a frame to be drawn
 * or for a page to look again, so that three at a time suit two cores.
 */
const config = mergeConfig(
  base,
  defineConfig({
    test: {
      testTimeout: 120_000,
      expect: { poll: { timeout: 30_000 } },
      maxWorkers: 3,
      // As many: the pool of Vitest 3.2 fails the run where it ends a process that it could do without.
      minWorkers: 3
    }
  })
)

// `mergeConfig` appends to lists.
export default { ...config, test: { ...config.test, include: ["test/browser/**/*.test.ts"], exclude: [] } }
