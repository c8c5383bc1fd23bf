import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"

const axeSource = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dirname), "utf8")

/** What axe has against a page or frame as it is, that is serious or worse. Evaluated past its policy, by the debugger. */
export const serious = async (page: Pick<Page, "evaluate">): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axeSource)
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`)
}
