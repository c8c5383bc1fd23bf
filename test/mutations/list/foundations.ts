/** The database, the command line, starts, pages and metrics. */
import type { Mutation } from "../model.ts"

export const foundations: ReadonlyArray<Mutation> = [
  {
    name: "a subscriber hears changes after its scope has ended",
    file: "src/db/changes.ts",
    find: "return () => ofTopic.delete(subscriber)",
    replace: "return () => ofTopic.has(subscriber)",
    tests: ["test/db/changes.system.test.ts"]
  },
  {
    name: "a cache holds twice its capacity",
    file: "src/db/fenced-cache.ts",
    find: "max: options.capacity }",
    replace: "max: 2 * options.capacity }",
    tests: ["test/db/fenced-cache.test.ts"]
  },
  {
    name: "items of one key are merged beyond 1 MiB",
    file: "src/db/batcher.ts",
    find: "sizeOf(merged) > mostBytes",
    replace: "sizeOf(merged) > 2 * mostBytes",
    tests: ["test/db/batcher.test.ts"]
  },
  {
    name: "an item is in a batch although its caller has left",
    file: "src/db/batcher.ts",
    find: "call.hasLeft = true",
    replace: "call.hasLeft = false",
    tests: ["test/db/batcher.test.ts"]
  },
  {
    name: "an item that a statement has left out does not follow again",
    file: "src/db/batcher.ts",
    find: "!exit.value.has(place)",
    replace: "exit.value.has(-1)",
    tests: ["test/db/batcher.test.ts"]
  },
  {
    name: "others queue behind a read that was short once",
    file: "src/db/driver/statements.ts",
    find: "difference < 0 ? difference / 4",
    replace: "difference < 0 ? difference",
    tests: ["test/db/driver/statements.test.ts"]
  },
  {
    name: "a migration is another one with line ends of Windows",
    file: "src/db/migrations/files.ts",
    find: 'raw.replaceAll("\\r\\n", "\\n")',
    replace: "raw",
    tests: ["test/db/migrations.system.test.ts"]
  },
  {
    name: "a migration fails for good in a deadlock",
    file: "src/db/migrations/apply.ts",
    find: 'const heldUp = ["40P01", "55P03"]',
    replace: 'const heldUp = ["55P03"]',
    tests: ["test/db/migrations.system.test.ts"]
  },
  {
    name: "a start that was killed before it granted rights is never made good",
    file: "src/db/migrations.ts",
    find: "if (options.grantee !== undefined)",
    replace: "if (options.grantee !== undefined && applied.length > 0)",
    tests: ["test/db/roles.system.test.ts"]
  },
  {
    name: "the gauges of an ended worker stay",
    file: "src/observability/figures.ts",
    find: 'families.filter(({ kind }) => kind !== "gauge")',
    replace: 'families.filter(({ kind }) => kind !== "none")',
    tests: ["test/observability/figures.test.ts"]
  },
  {
    name: "doctor accepts a secret key that others can read",
    file: "src/cli/checks/storage.ts",
    find: "(key.mode & 0o077) === 0",
    replace: "(key.mode & 0o011) === 0",
    tests: ["test/cli/doctor.system.test.ts"]
  },
  {
    name: "an empty value of an option counts as none",
    file: "src/cli/run.ts",
    find: "emptyOption(words)",
    replace: "emptyOption([])",
    tests: ["test/cli/output.system.test.ts"]
  },
  {
    name: "a start that fails does not say the first user's password",
    file: "src/process/first-start.ts",
    find: "(made) => (made ? announce : Effect.void))",
    replace: "() => Effect.void)",
    tests: ["test/accounts/first-start.system.test.ts"]
  },
  {
    name: "the hosted page does not open while the database is down",
    file: "src/kyc/embedding/service.ts",
    find: '"Could not read which sites may frame the KYC page, so none may", cause)',
    replace:
      '"Could not read which sites may frame the KYC page", cause).pipe(Effect.zipRight(Effect.die(cause)))',
    tests: ["test/pages/kyc-embedding.test.ts"]
  },
  {
    name: "the example of a publisher's schema may have any size",
    file: "src/web/reference/sample.ts",
    find: "const maxValues = 150",
    replace: "const maxValues = 15_000",
    tests: ["test/pages/dashboard-documentation.test.ts"]
  }
]
