/**
 * Runs tests in its working directory, a copy of the repository, as often as `main.ts` asks. One Vitest serves many runs: it keeps its
 * Postgres, and of what it has compiled all but the changed files.
 */
import { join, relative } from "node:path"
import type { TestModule, Vitest } from "vitest/node"
import { createVitest } from "vitest/node"

export interface Question {
  /** The folder of the ring. */
  readonly folder: string
  /** The files; undefined for all. */
  readonly tests: ReadonlyArray<string> | undefined
  /** The file that has the mutation. */
  readonly file: string | undefined
}

export interface Answer {
  /** The first test that failed, and why; undefined if none did. */
  readonly failure: string | undefined
}

/** Each run leaves databases behind. */
const mostRuns = 25

/** One process is enough for so many files. */
const few = 3

interface Opened {
  readonly folder: string
  readonly isForFew: boolean
  readonly vitest: Vitest
  runs: number
}

let opened: Opened | undefined

const close = async (): Promise<void> => {
  await opened?.vitest.close()
  opened = undefined
}

const vitestOf = async ({ folder, tests }: Question): Promise<Vitest> => {
  const isForFew = tests !== undefined && tests.length <= few
  if (opened?.folder !== folder || opened.isForFew !== isForFew || opened.runs >= mostRuns) {
    await close()
    const vitest = await createVitest("test", {
      config: `${folder}/vitest.config.ts`,
      watch: false,
      bail: 1,
      reporters: [{}],
      ...(isForFew ? { minWorkers: 1, maxWorkers: 1 } : {})
    })
    opened = { folder, isForFew, vitest, runs: 0 }
  }
  opened.runs++
  return opened.vitest
}

const failureOf = (modules: ReadonlyArray<TestModule>): string | undefined => {
  for (const module of modules) {
    const file = relative(process.cwd(), module.moduleId)
    for (const test of module.children.allTests("failed")) {
      const [error] = test.result().errors ?? []
      return `${file}: ${test.fullName}: ${error?.message.split("\n")[0]}`
    }
    for (const group of [module, ...module.children.allSuites()]) {
      const [error] = group.errors()
      if (error !== undefined) return `${file}: ${error.message.split("\n")[0]}`
    }
  }
  return undefined
}

/** The file that had the mutation before. */
let before: string | undefined

const answerTo = async (question: Question): Promise<Answer> => {
  const { file, tests } = question
  const vitest = await vitestOf(question)
  for (const changed of [before, file]) {
    if (changed !== undefined) vitest.invalidateFile(join(process.cwd(), changed))
  }
  before = file
  // Failures of earlier runs would end this one.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const found = await vitest.globTestSpecifications(tests === undefined ? [] : [...tests])
  // The list no longer fits what it has changed.
  const wanted = found.filter(({ moduleId }) => !moduleId.includes("/test/mutations/"))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted)
  const failure = failureOf(testModules) ?? (unhandledErrors.length > 0 ? "the run itself" : undefined)
  return { failure }
}

process.on("message", async (question: Question) => process.send?.(await answerTo(question)))
process.on("SIGTERM", async () => {
  await close()
  process.exit(0)
})
process.send?.("ready")
