import { pagePatience } from "../support/browser/patience.ts"
import { ring } from "../support/run/ring.ts"

/**
 * The tests of `bun run test:browser`: walks through the pages in Chromium. A walk waits more than it computes, for a frame to be drawn
 * or for a page to look again, so that three at a time suit two cores.
 */
export default ring({
  include: ["test/browser/**/*.test.ts"],
  poolOptions: { forks: { isolate: false } },
  expect: { poll: { timeout: pagePatience } },
  maxWorkers: 3,
  minWorkers: 3
})
