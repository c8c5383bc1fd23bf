import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { expect } from "@effect/vitest"
import type { Page } from "playwright-core"

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")

/**
 * Waits for finite animations and colour transitions to end, because contrast in the middle of one is
 * meaningless.
 */
const settle = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished))`

/**
 * The serious or worse problems that axe finds in a page or frame after it has settled. The debugger runs
 * axe, which bypasses the page's policy.
 */
export const serious = async (page: Pick<Page, "evaluate">): Promise<ReadonlyArray<string>> => {
  // axe is half a megabyte and stays in the document once loaded.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axeSource)
  await page.evaluate(`${settle}.then(() => {})`)
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`)
}

/** In neither colour scheme does axe find anything serious. */
export const inBothSchemes = async (page: Page, message: string) => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => serious(page), { message: `${message}, ${colorScheme}` }).toEqual([])
  }
}
