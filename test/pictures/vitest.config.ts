import { pagePatience } from "../support/browser/patience.ts"
import { ring } from "../support/run/ring.ts"

/** `bun run pictures` takes the pictures of the README again, and writes them to `docs/pictures`. */
export default ring({ include: ["test/pictures/**/*.test.ts"], expect: { poll: { timeout: pagePatience } } })
