import { ring } from "../support/run/ring.ts"

/**
 * The tests of `bun run test:system`, which are beside those of `bun run test` as `*.system.test.ts`: they start programs, database clusters
 * or networks that read photos, watch the whole process, or load the machine. So one file runs at a time, in a process of its own.
 */
export default ring({ include: ["test/**/*.system.test.ts"], maxWorkers: 1, minWorkers: 1 })
