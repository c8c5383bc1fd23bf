import { ring } from "../support/run/ring.ts"

/** `bun run pictures` takes the pictures of the README again, and writes them to `docs/pictures`. */
export default ring({ include: ["test/pictures/**/*.test.ts"], expect: { poll: { timeout: 100_000 } } })
