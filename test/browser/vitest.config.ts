import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"

/** The tests of `bun run test:browser`: walks through the pages in Chromium. One at a time, since a browser keeps two cores busy. */
const config = mergeConfig(
  base,
  defineConfig({
    test: {
      globalSetup: ["test/support/shared-chromium.ts"],
      testTimeout: 120_000,
      expect: { poll: { timeout: 30_000 } },
      maxWorkers: 1
    }
  })
)

// `mergeConfig` appends to lists.
export default { ...config, test: { ...config.test, include: ["test/browser/**/*.test.ts"], exclude: [] } }
