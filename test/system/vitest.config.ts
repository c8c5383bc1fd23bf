import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"

/**
 * The tests of `bun run test:system`, which are beside those of `bun run test` as `*.system.test.ts`: they start programs, database clusters
 * or networks that read photos, watch the whole process, or load the machine. So one file runs at a time, in a process of its own.
 */
const config = mergeConfig(
  base,
  defineConfig({ test: { poolOptions: { forks: { isolate: true } }, maxWorkers: 1, minWorkers: 1 } })
)

// `mergeConfig` appends to lists.
export default { ...config, test: { ...config.test, include: ["test/**/*.system.test.ts"], exclude: [] } }
