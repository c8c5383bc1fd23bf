import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The text of the tests that a page names by their path below `test` without its end, in whatever ring; undefined if there are none. */
export const testSource = (name: string): string | undefined => {
  const path = [".test.ts", ".isolated.test.ts", ".system.test.ts"]
    .map((end) => join(import.meta.dirname, "..", `${name}${end}`))
    .find((file) => existsSync(file))
  return path === undefined ? undefined : readFileSync(path, "utf8")
}
