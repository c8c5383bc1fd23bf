/**
 * Writes the types of an OpenAPI document: `bun generate.ts DOCUMENT OUTPUT`. In a process of its own: `openapi-typescript` prints
 * with the compiler's JavaScript API, which TypeScript 7 no longer has, and is given TypeScript 5 in its place.
 */
import { pathToFileURL } from "node:url"
import { plugin } from "bun"

plugin({
  name: "typescript-5",
  setup: (build) => {
    build.module("typescript", async () => ({ exports: await import("typescript5"), loader: "object" }))
  }
})

const [document = "", output = ""] = process.argv.slice(2)
const { astToString, default: openapiTS } = await import("openapi-typescript")
await Bun.write(output, astToString(await openapiTS(pathToFileURL(document))))
