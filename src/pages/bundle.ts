/** Builds the pages' browser code and styles from source on the first request. */
import { Record } from "effect"
import { once } from "./once.ts"

/**
 * Bundles and minifies an entry with all its imports, once. A build error is a defect.
 *
 * @param entry path of the entry file
 * @param format `iife` for a script that other sites load, so that it leaks no globals
 * @param constants values for names that the sources only declare
 */
export const minified = (
  entry: string,
  {
    constants = {},
    format = "esm"
  }: { readonly constants?: Readonly<Record<string, unknown>>; readonly format?: "esm" | "iife" } = {}
): (() => Promise<Uint8Array>) =>
  once(async () => {
    const { outputs } = await Bun.build({
      entrypoints: [entry],
      target: "browser",
      format,
      minify: true,
      define: {
        "process.env.NODE_ENV": '"production"',
        ...Record.map(constants, (value) => JSON.stringify(value))
      },
      // Repeated from tsconfig.json, which an installation does not include.
      jsx: { runtime: "automatic", importSource: "preact", development: false }
    })
    const [output] = outputs
    if (output === undefined) throw new Error(`${entry} was built to nothing`)
    return new Uint8Array(await output.arrayBuffer())
  })
