/** A change to `src` that tests have to catch. */
export interface Mutation {
  /** What is wrong with the service afterwards. Unique. */
  readonly name: string
  /** From the repository's root. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The files of the tests that should catch it, from the repository's root. */
  readonly tests: ReadonlyArray<string>
}

/** A configuration of Vitest. */
export interface Ring {
  readonly name: string
  /** Its configuration is here. */
  readonly folder: string
  /** The paths of its tests. */
  readonly tests: RegExp
}

/** The cheapest first. A test is of the last ring whose paths its own is among. */
export const rings: ReadonlyArray<Ring> = [
  { name: "core", folder: "test", tests: /^test\// },
  { name: "system", folder: "test/system", tests: /\.system\.test\.ts$/ },
  { name: "browser", folder: "test/browser", tests: /^test\/browser\// },
  { name: "faults", folder: "test/faults", tests: /^test\/faults\// }
]

export const ringOf = (test: string): Ring | undefined => rings.findLast(({ tests }) => tests.test(test))

/** The folder of a feature in `src`, such as `keys` or `kyc/files`; the file's name for a file that is in none. */
export const featureOf = (file: string): string => {
  const [first = "", second = ""] = file.slice("src/".length).split("/")
  return first === "kyc" || first === "marketplace" ? `${first}/${second}` : first.replace(/\.ts$/, "")
}

/**
 * Changes to one file that the same tests have to catch.
 *
 * @param file from `src`
 * @param tests their files from `test`, without `.test.ts`
 * @param texts by the names of the mutations: what is replaced, and by what
 */
export const changes = (
  file: string,
  tests: ReadonlyArray<string>,
  texts: Readonly<Record<string, readonly [find: string, replace: string]>>
): ReadonlyArray<Mutation> =>
  Object.entries(texts).map(([name, [find, replace]]) => ({
    name,
    file: `src/${file}`,
    find,
    replace,
    tests: tests.map((test) => `test/${test}.test.ts`)
  }))
