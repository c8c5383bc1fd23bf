import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Mutation, ringOf } from "./model.ts"

/** The text of the file with the mutation. */
export const mutated = (text: string, { find, replace }: Mutation): string =>
  text.replace(find, () => replace)

const parses = (file: string, text: string): boolean => {
  try {
    new Bun.Transpiler({ loader: file.endsWith(".tsx") ? "tsx" : "ts" }).transformSync(text)
    return true
  } catch {
    return false
  }
}

/**
 * What is wrong with the list, in sentences.
 *
 * @param root the repository
 */
export const faultsOf = (root: string, mutations: ReadonlyArray<Mutation>): ReadonlyArray<string> =>
  mutations.flatMap((mutation, place) => {
    const { file, find, name, replace, tests } = mutation
    if (mutations.findIndex((other) => other.name === name) !== place) return [`${name}: the name is taken`]
    if (!existsSync(join(root, file))) return [`${name}: ${file} does not exist`]
    const text = readFileSync(join(root, file), "utf8")
    const count = text.split(find).length - 1
    if (count !== 1) return [`${name}: ${file} has its text ${count} times`]
    if (find === replace) return [`${name}: it changes nothing`]
    if (!parses(file, mutated(text, mutation))) return [`${name}: ${file} would be no program`]
    if (tests.length === 0) return [`${name}: no test is named`]
    return tests
      .filter((test) => ringOf(test) === undefined || !existsSync(join(root, test)))
      .map((test) => `${name}: ${test} does not exist`)
  })
