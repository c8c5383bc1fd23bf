/** Measures the process that looks at photos: how often it is right, and how much CPU time of one core, and memory, it takes. */
import { readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import type { Asked, Look } from "../../src/kyc/checks/look-model.ts"
import { Looking } from "../../src/kyc/checks/looking.ts"
import { cpuMicros } from "./load.ts"
import { figure, figuresHeader, say } from "./table.ts"

/** To tell the century of a birth. */
export const thisYear = 2026

/** Goals for a photo: 95 of 100 take less CPU time of one core, in seconds, and none more memory, in bytes. */
const goals = { seconds: 2, bytes: 600e6 }

export const photosHeader = [
  "| Photos | Number | Right | Goal | A protected field wrong, its check digit right | p50 CPU s | p95 CPU s | p95 s |",
  "|---|---|---|---|---|---|---|---|"
]

export interface Seen {
  readonly exact: boolean
  /** A field with a check digit is wrong although its check digit is right, so the checks would compare it. */
  readonly misleading: boolean
  /** CPU time of the process, user and system. */
  readonly cpuSeconds: number
  readonly seconds: number
}

/** The process that looks at photos is the only child of this one. */
const lookers = (): ReadonlyArray<number> =>
  readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number)
  )

const cpuSeconds = (): number => lookers().reduce((sum, pid) => sum + cpuMicros(pid) / 1e6, 0)

/** The most memory that the process has had. */
const peakBytes = (): number =>
  Math.max(
    0,
    ...lookers().map(
      (pid) =>
        1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0)
    )
  )

/** Of all photos so far. */
const all = { photos: 0, misleading: 0, cpuSeconds: [] as Array<number>, bytes: 0 }

type Judged = Pick<Seen, "exact" | "misleading">

/** Looks at a photo, and measures it. A photo that breaks the process is not right. */
export const timed = Effect.fnUntraced(function* (
  photo: Buffer,
  judge: (look: Look) => Judged,
  shows: Asked["shows"] = "document"
) {
  const { look } = yield* Looking
  const [began, cpuBefore] = [performance.now(), cpuSeconds()]
  const seen = yield* Effect.option(look({ content: photo, thisYear, shows, faceModel: undefined }))
  const judged: Judged = seen._tag === "Some" ? judge(seen.value) : { exact: false, misleading: false }
  const timed: Seen = {
    ...judged,
    cpuSeconds: cpuSeconds() - cpuBefore,
    seconds: (performance.now() - began) / 1000
  }
  all.photos++
  all.misleading += Number(timed.misleading)
  all.cpuSeconds.push(timed.cpuSeconds)
  all.bytes = Math.max(all.bytes, peakBytes())
  return timed
})

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0

/** Prints a row of {@link photosHeader}. */
export const printPhotos = (what: string, goal: number | undefined, seen: ReadonlyArray<Seen>) => {
  const share = seen.filter(({ exact }) => exact).length / seen.length
  const cpu = seen.map((one) => one.cpuSeconds)
  const slow = percentile(cpu, 0.95)
  return say(
    `| ${[
      what,
      seen.length,
      `${(100 * share).toFixed(0)} %${share >= (goal ?? 0) ? "" : " (missed)"}`,
      goal === undefined ? "" : `${100 * goal} %`,
      seen.filter(({ misleading }) => misleading).length,
      percentile(cpu, 0.5).toFixed(2),
      `${slow.toFixed(2)}${slow < goals.seconds ? "" : " (missed)"}`,
      percentile(
        seen.map(({ seconds }) => seconds),
        0.95
      ).toFixed(1)
    ].join(" | ")} |`
  )
}

/** Prints what all photos took. */
export const printAll = Effect.gen(function* () {
  yield* say("")
  yield* Effect.forEach(figuresHeader, say)
  const slow = percentile(all.cpuSeconds, 0.95)
  yield* figure(
    "CPU time of 95 of 100 photos",
    `${slow.toFixed(2)} s`,
    `< ${goals.seconds} s`,
    slow < goals.seconds
  )
  yield* figure(
    "Memory, at most",
    `${Math.round(all.bytes / 1e6)} MB`,
    `${goals.bytes / 1e6} MB`,
    all.bytes < goals.bytes
  )
  yield* figure(
    `Protected field wrong, its check digit right, in ${all.photos} photos`,
    String(all.misleading),
    "0",
    all.misleading === 0
  )
})
