/** The database, the command line, starts, pages and metrics. */
import { changes, type Mutation } from "../model.ts"

export const foundations: ReadonlyArray<Mutation> = [
  ...changes("db/changes.ts", ["db/changes.system"], {
    "a subscriber hears changes after its scope has ended": [
      "return () => ofTopic.delete(subscriber)",
      "return () => ofTopic.has(subscriber)"
    ]
  }),
  ...changes("db/fenced-cache.ts", ["db/fenced-cache"], {
    "a cache holds twice its capacity": ["max: options.capacity }", "max: 2 * options.capacity }"]
  }),
  ...changes("db/batcher.ts", ["db/batcher"], {
    "items of one key are merged beyond 1 MiB": [
      "sizeOf(merged) > mostBytes",
      "sizeOf(merged) > 2 * mostBytes"
    ],
    "an item is in a batch although its caller has left": ["call.hasLeft = true", "call.hasLeft = false"],
    "an item that a statement has left out does not follow again": [
      "!exit.value.has(place)",
      "exit.value.has(-1)"
    ]
  }),
  ...changes("db/driver/statements.ts", ["db/driver/statements"], {
    "others queue behind a read that was short once": [
      "difference < 0 ? difference / 4",
      "difference < 0 ? difference"
    ]
  }),
  ...changes("db/migrations/files.ts", ["db/migrations.system"], {
    "a migration is another one with line ends of Windows": ['raw.replaceAll("\\r\\n", "\\n")', "raw"]
  }),
  ...changes("db/migrations/apply.ts", ["db/migrations.system"], {
    "a migration fails for good in a deadlock": [
      'const heldUp = ["40P01", "55P03"]',
      'const heldUp = ["55P03"]'
    ]
  }),
  ...changes("db/migrations.ts", ["db/roles.system"], {
    "a start that was killed before it granted rights is never made good": [
      "if (options.grantee !== undefined)",
      "if (options.grantee !== undefined && applied.length > 0)"
    ]
  }),
  ...changes("observability/figures.ts", ["observability/figures"], {
    "the gauges of an ended worker stay": [
      'families.filter(({ kind }) => kind !== "gauge")',
      'families.filter(({ kind }) => kind !== "none")'
    ]
  }),
  ...changes("cli/checks/storage.ts", ["cli/doctor.system"], {
    "doctor accepts a secret key that others can read": [
      "(key.mode & 0o077) === 0",
      "(key.mode & 0o011) === 0"
    ]
  }),
  ...changes("cli/run.ts", ["cli/output.system"], {
    "an empty value of an option counts as none": ["emptyOption(words)", "emptyOption([])"]
  }),
  ...changes("process/first-start.ts", ["accounts/first-start.system"], {
    "a start that fails does not say the first user's password": [
      "(made) => (made ? announce : Effect.void))",
      "() => Effect.void)"
    ]
  }),
  ...changes("kyc/embedding/service.ts", ["pages/kyc-embedding"], {
    "the hosted page does not open while the database is down": [
      '"Could not read which sites may frame the KYC page, so none may", cause)',
      '"Could not read which sites may frame the KYC page", cause).pipe(Effect.zipRight(Effect.die(cause)))'
    ]
  }),
  ...changes("web/reference/sample.ts", ["pages/dashboard-documentation"], {
    "the example of a publisher's schema may have any size": [
      "const maxValues = 150",
      "const maxValues = 15_000"
    ]
  })
]
