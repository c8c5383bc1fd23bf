import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"

/** Runs whose tests fail on purpose, for `attempts.test.ts`. */
const config = mergeConfig(base, defineConfig({ test: { minWorkers: 1, maxWorkers: 1 } }))

export default {
  ...config,
  test: {
    ...config.test,
    include: ["test/attempts-example/*.example.ts"],
    // These need no database.
    globalSetup: []
  }
}
