import { chromium } from "playwright-core"
import type { TestProject } from "vitest/node"
import { chromiumPath, flags } from "./chromium-program.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the browser of the whole run is reached; undefined on a machine without one. */
    readonly chromium: string | undefined
  }
}

/** One Chromium for the whole run: starting one takes longer than most of what is done in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (chromiumPath === undefined) {
    project.provide("chromium", undefined)
    return async () => {}
  }
  const server = await chromium.launchServer({ executablePath: chromiumPath, args: flags })
  project.provide("chromium", server.wsEndpoint())
  return () => server.close()
}
