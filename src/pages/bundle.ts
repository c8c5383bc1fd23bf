/** Browser code and styles of the pages, made of their sources when it is first asked for. */
import * as Record from "effect/Record"
import { once } from "./once.ts"

/**
 * One file of everything that an entry imports, script or style, minified; made once. A source that does not build is a defect.
 *
 * @param entry path of the entry file
 * @param format `iife` for a script of other pages, so that nothing of it becomes a global by itself
 * @param constants values that take the place of names which the sources only declare
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
      // Repeated from tsconfig.json, which an installation does not have.
      jsx: { runtime: "automatic", importSource: "preact", development: false }
    })
    const [output] = outputs
    if (output === undefined) throw new Error(`${entry} was built to nothing`)
    return new Uint8Array(await output.arrayBuffer())
  })
