import { perFile, ring } from "./support/run/ring.ts"

const isolated = "test/**/*.isolated.test.ts"

/**
 * The core ring, `bun run test`: the whole contract, in minutes. `*.system.test.ts` and what is in `test/browser`, `test/faults` and
 * `test/pictures` have configurations of their own (docs/testing.md).
 */
export default ring({
  // The files of a process share its modules, and the server of `TestServer`. Loading the modules for each file took
  // longer than the tests.
  poolOptions: { forks: { isolate: false } },
  projects: [
    {
      test: {
        ...perFile,
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
      test: { ...perFile, name: "isolated", include: [isolated], restoreMocks: true, unstubGlobals: true }
    }
  ]
})
