/** A style sheet and the code that uses its classes change together. */
import { expect, it } from "vitest"

const read = async (pattern: string) => {
  const texts: Array<string> = []
  for await (const path of new Bun.Glob(pattern).scan(new URL("../../src", import.meta.url).pathname))
    texts.push(await Bun.file(new URL(`../../src/${path}`, import.meta.url).pathname).text())
  return texts.join("\n")
}

it("the code uses every class of the style sheets", async () => {
  const styles = (await read("web/**/*.css")).replace(/\/\*.*?\*\//gs, "").replace(/"[^"]*"/g, "")
  const words = new Set((await read("{web,pages}/**/*.{ts,tsx}")).match(/[A-Za-z][\w-]*/g))
  const classes = new Set(Array.from(styles.matchAll(/\.([A-Za-z][\w-]*)/g), ([, name = ""]) => name))
  expect(classes.size).toBeGreaterThan(100)
  expect([...classes].filter((name) => !words.has(name))).toEqual([])
})
