/** What all configurations of Vitest share. */
import { defineConfig, type ViteUserConfig } from "vitest/config"
import { loadedByBun, tuneProcesses } from "./processes.ts"
import { chooseSeed } from "./seed.ts"
import { useMemory } from "./temporary.ts"

type Options = NonNullable<ViteUserConfig["test"]>

/** How each file is run; a project does not inherit it. */
export const perFile = {
  root: `${import.meta.dirname}/../../..`,
  setupFiles: [`${import.meta.dirname}/setup.ts`],
  pool: "forks",
  server: { deps: { external: loadedByBun } },
  // Generous, for a busy or slow machine: only a test that hangs should time out.
  testTimeout: 300_000,
  hookTimeout: 300_000
} as const satisfies Options

/** A ring of tests (docs/testing.md), two files at a time unless it says otherwise. */
export const ring = (options: Options) => {
  useMemory()
  tuneProcesses()
  chooseSeed()
  return defineConfig({
    test: {
      ...perFile,
      watch: false,
      globalSetup: [`${import.meta.dirname}/../postgres.ts`],
      reporters: ["default", `${import.meta.dirname}/summary.ts`],
      // Equal: tinypool may crash when it ends an idle worker.
      minWorkers: 2,
      maxWorkers: 2,
      ...options
    }
  })
}
