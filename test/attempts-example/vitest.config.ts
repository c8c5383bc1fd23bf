import { ring } from "../support/run/ring.ts"

/** Runs whose tests fail on purpose, for `attempts.test.ts`. */
export default ring({
  include: ["test/attempts-example/*.example.ts"],
  // These need no database.
  globalSetup: [],
  poolOptions: { forks: { isolate: false } },
  minWorkers: 1,
  maxWorkers: 1
})
