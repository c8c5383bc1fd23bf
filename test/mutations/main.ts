/**
 * `bun run mutations`: changes the service in a copy of the repository, one mutation of `list.ts` at a time, and says which tests catch it.
 *
 * - `--only <text>`: only mutations whose name or feature contains the text
 * - `--all`: a mutation that its own tests do not catch meets all tests of all rings
 * - `--check`: only checks the list
 * - `--json <file>`: also writes the results there
 * - `--jobs <number>`: how many run at once, by default 1
 *
 * Fails if a mutation is not caught.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join, relative, resolve } from "node:path"
import { parseArgs } from "node:util"
import { useMemory } from "../support/run/temporary.ts"
import { faultsOf, mutated } from "./check.ts"
import { mutations } from "./list.ts"
import { featureOf, type Mutation, type Ring, ringOf, rings } from "./model.ts"
import type { Answer, Question } from "./session.ts"

const root = resolve(import.meta.dirname, "../..")

/** Milliseconds for the tests of one mutation. Those that hang for longer have caught it, too. */
const limits = { named: 300_000, all: 3_600_000 }

/** Milliseconds until a session that does not end by itself is killed. */
const patience = 20_000

interface Result {
  readonly name: string
  readonly feature: string
  /** The ring that caught it, `time` if tests hung, or null. */
  readonly caughtBy: string | null
  /** The test that failed, and why. */
  readonly test: string | null
  readonly seconds: number
}

const say = (text: string) => process.stdout.write(text)

/** A copy of the repository with its packages. */
const copyTo = async (folder: string): Promise<void> => {
  const packages: Array<string> = []
  await cp(root, folder, {
    recursive: true,
    filter: (from) => {
      const name = basename(from)
      if (name === "node_modules") packages.push(relative(root, from))
      return name !== "node_modules" && name !== ".git" && name !== ".data"
    }
  })
  // One by one, as the caches among them must not be shared.
  for (const path of packages) {
    await mkdir(join(folder, path))
    for (const name of await readdir(join(root, path))) {
      if (name !== ".cache" && name !== ".vite") {
        await symlink(join(root, path, name), join(folder, path, name))
      }
    }
  }
}

/** Runs tests in a copy. */
class Session {
  readonly #copy: string
  #child: Bun.Subprocess | undefined
  #answered: PromiseWithResolvers<Answer> | undefined
  #ready: Promise<void> = Promise.resolve()

  constructor(copy: string) {
    this.#copy = copy
  }

  async ask(question: Question, limit: number): Promise<Answer | "time"> {
    const child = this.#child ?? this.#start()
    await this.#ready
    const answered = Promise.withResolvers<Answer>()
    this.#answered = answered
    child.send(question)
    const late = Promise.withResolvers<"time">()
    const timer = setTimeout(() => late.resolve("time"), limit)
    const answer = await Promise.race([answered.promise, late.promise])
    clearTimeout(timer)
    if (answer === "time") await this.end()
    return answer
  }

  async end(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    child.kill("SIGTERM")
    const timer = setTimeout(() => child.kill("SIGKILL"), patience)
    await child.exited
    clearTimeout(timer)
    try {
      // Its processes, of which some may hang.
      process.kill(-child.pid, "SIGKILL")
    } catch {
      // All have ended.
    }
  }

  #start(): Bun.Subprocess {
    const ready = Promise.withResolvers<void>()
    this.#ready = ready.promise
    const child = Bun.spawn([process.execPath, "--bun", "test/mutations/session.ts"], {
      cwd: this.#copy,
      // In a process group of its own.
      detached: true,
      env: { ...process.env, FAULTS: "ci" },
      stdio: ["ignore", "ignore", "ignore"],
      ipc: (message: Answer | "ready") => {
        if (message === "ready") ready.resolve()
        else this.#answered?.resolve(message)
      },
      onExit: () => {
        ready.resolve()
        this.#answered?.resolve({ failure: "the run itself" })
        if (this.#child === child) this.#child = undefined
      }
    })
    this.#child = child
    return child
  }
}

const ofRing = (ring: Ring, tests: ReadonlyArray<string>) => tests.filter((test) => ringOf(test) === ring)

/** What the mutation's own tests and, if they do not catch it, all tests say. */
const judge = async (copy: string, session: Session, mutation: Mutation, inAll: boolean): Promise<Result> => {
  const { file, name, tests } = mutation
  const began = performance.now()
  const result = (caughtBy: string | null, test: string | null): Result => ({
    name,
    feature: featureOf(file),
    caughtBy,
    test,
    seconds: Math.round((performance.now() - began) / 1_000)
  })
  const text = await readFile(join(root, file), "utf8")
  await writeFile(join(copy, file), mutated(text, mutation))
  try {
    for (const round of inAll ? (["named", "all"] as const) : (["named"] as const)) {
      for (const ring of rings) {
        const named = ofRing(ring, tests)
        if (round === "named" && named.length === 0) continue
        const question = { folder: ring.folder, tests: round === "named" ? named : undefined, file }
        const answer = await session.ask(question, limits[round])
        if (answer === "time") return result("time", `no end within ${limits[round] / 1_000} seconds`)
        if (answer.failure !== undefined) return result(ring.name, answer.failure)
      }
    }
    return result(null, null)
  } finally {
    await writeFile(join(copy, file), text)
  }
}

const shown = ({ caughtBy, name, seconds, test }: Result): string =>
  `${name} (${seconds} s): ${caughtBy === null ? "NOT CAUGHT" : `caught by ${caughtBy} (${test})`}\n`

/** How many mutations of each feature each ring has caught. */
const tableOf = (results: ReadonlyArray<Result>): string => {
  const columns = [...rings.map(({ name }) => name), "time", null]
  const row = (cells: ReadonlyArray<string | number>) => `| ${cells.join(" | ")} |\n`
  const counts = (own: ReadonlyArray<Result>) =>
    columns.map((column) => own.filter(({ caughtBy }) => caughtBy === column).length || "")
  const features = [...new Set(results.map(({ feature }) => feature))].sort()
  return [
    row(["Feature", ...columns.map((column) => column ?? "not caught")]),
    row(["---", ...columns.map(() => "---")]),
    ...features.map((feature) =>
      row([feature, ...counts(results.filter((result) => result.feature === feature))])
    ),
    row(["all", ...counts(results)])
  ].join("")
}

const { values: options } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    jobs: { type: "string", default: "1" },
    json: { type: "string" },
    only: { type: "string", default: "" }
  }
})

const wanted = mutations.filter(
  ({ file, name }) => name.includes(options.only) || featureOf(file).includes(options.only)
)

/** Whether the tests of these mutations pass without any: otherwise they would seem to catch theirs. */
const passesAsItIs = async (session: Session): Promise<boolean> => {
  const named = [...new Set(wanted.flatMap(({ tests }) => tests))]
  for (const ring of rings) {
    const tests = ofRing(ring, named)
    if (tests.length === 0) continue
    const answer = await session.ask({ folder: ring.folder, tests, file: undefined }, limits.all)
    if (answer !== "time" && answer.failure === undefined) continue
    say(`Without any mutation, this fails: ${answer === "time" ? "no end" : answer.failure}\n`)
    return false
  }
  return true
}

/** Returns whether all are caught. */
const run = async (jobs: ReadonlyArray<{ readonly copy: string; readonly session: Session }>) => {
  for (const { copy } of jobs) await copyTo(copy)
  const [first] = jobs
  if (first === undefined || !(await passesAsItIs(first.session))) return false
  const results: Array<Result> = []
  const waiting = [...wanted]
  await Promise.all(
    jobs.map(async ({ copy, session }) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const result = await judge(copy, session, next, options.all)
        results.push(result)
        say(shown(result))
        if (options.json !== undefined) await writeFile(options.json, JSON.stringify(results, undefined, 2))
      }
    })
  )
  say(`\n${tableOf(results)}`)
  return results.every(({ caughtBy }) => caughtBy !== null)
}

const faults = faultsOf(root, mutations)
for (const fault of faults) say(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
else if (options.check) say(`${mutations.length} mutations\n`)
else {
  useMemory()
  const folder = await mkdtemp(join(tmpdir(), "doorlock-mutations-"))
  const jobs = Array.from({ length: Number(options.jobs) }, (_, place) => {
    const copy = join(folder, String(place))
    return { copy, session: new Session(copy) }
  })
  const end = async () => {
    for (const { session } of jobs) await session.end()
    await rm(folder, { recursive: true, force: true })
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void end().then(() => process.exit(130)))
  }
  if (!(await run(jobs))) process.exitCode = 1
  await end()
}
