import browser from "../browser/vitest.config.ts"

/** `bun run pictures` takes the pictures of the README again, and writes them to `docs/pictures`. */
export default { ...browser, test: { ...browser.test, include: ["test/pictures/**/*.test.ts"] } }
