import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")

/** Waits for what moves or changes its colours, and comes to an end: a contrast in between is nobody's. */
const settle = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished))`

/** What axe has against a page or frame once it has settled, that is serious or worse. Evaluated past its policy, by the debugger. */
export const serious = async (page: Pick<Page, "evaluate">): Promise<ReadonlyArray<string>> => {
  // Half a megabyte, which the document keeps.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axeSource)
  await page.evaluate(`${settle}.then(() => {})`)
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`)
}
