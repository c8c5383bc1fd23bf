/**
 * How well the process that looks at photos reads zones and barcodes, and how much CPU time of one core, and memory, it takes. `PHOTOS` (20) sets
 * how many of each kind, `SEED` which.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Effect } from "effect"
import type { BarcodeSeen, Look, ZoneSeen } from "../../../src/kyc/checks/look-model.ts"
import { Looking } from "../../../src/kyc/checks/looking.ts"
import { zoneOf } from "../../../src/kyc/checks/zone-model.ts"
import {
  barcodePhoto,
  levels,
  licenceText,
  otherPhoto,
  seeded,
  specimen
} from "../../support/kyc/specimens.ts"
import { cpuMicros } from "../load.ts"
import { figure, figuresHeader, say } from "../table.ts"

const count = Number(process.env.PHOTOS ?? 20)
const seed = Number(process.env.SEED ?? 20_261_123)
const thisYear = 2026

/** Goals for a photo: 95 of 100 take less CPU time of one core, in seconds, and none more memory, in bytes. */
const goals = { seconds: 2, bytes: 600e6 }

export const checksHeader = [
  "| Photos | Number | Right | Goal | A protected field wrong, its check digit right | p50 CPU s | p95 CPU s | p95 s |",
  "|---|---|---|---|---|---|---|---|"
]

interface Seen {
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

const zoneIn = (look: Look): ZoneSeen | undefined =>
  look.found === "picture" && look.zone.found === "zone" ? look.zone : undefined

const barcodeIn = (look: Look): BarcodeSeen | undefined =>
  look.found === "picture" && look.barcode.found === "barcode" ? look.barcode : undefined

const timed = Effect.fnUntraced(function* (
  photo: Buffer,
  judge: (look: Look) => Pick<Seen, "exact" | "misleading">
) {
  const { look } = yield* Looking
  const [began, cpuBefore] = [performance.now(), cpuSeconds()]
  const seen = yield* Effect.option(
    look({ content: photo, thisYear, shows: "document", faceModel: undefined })
  )
  const judged = seen._tag === "Some" ? judge(seen.value) : { exact: false, misleading: false }
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

const print = (what: string, goal: number, seen: ReadonlyArray<Seen>) => {
  const share = seen.filter(({ exact }) => exact).length / seen.length
  const cpu = seen.map((one) => one.cpuSeconds)
  const slow = percentile(cpu, 0.95)
  return say(
    `| ${[
      what,
      seen.length,
      `${(100 * share).toFixed(0)} %${share >= goal ? "" : " (missed)"}`,
      `${100 * goal} %`,
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

/** Those with a check digit of their own. */
const protectedFields = ["document_number", "birth_date", "expiry_date"] as const

const zones = (name: keyof typeof levels, goal: number) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const seen: Array<Seen> = []
    for (const format of ["TD1", "TD2", "TD3"] as const) {
      for (let number = 0; number < count; number++) {
        const { lines, photo } = yield* Effect.promise(() => specimen(random, format, levels[name]))
        const truth = zoneOf(format, lines, thisYear).fields
        seen.push(
          yield* timed(photo, (look) => {
            const zone = zoneIn(look)
            const wrong = protectedFields.filter(
              (field) =>
                zone !== undefined &&
                zone.fields[field] !== truth[field] &&
                !zone.check_digits.wrong.includes(field)
            )
            return {
              exact: zone !== undefined && JSON.stringify(zone.fields) === JSON.stringify(truth),
              misleading: wrong.length > 0
            }
          })
        )
      }
    }
    yield* print(`zone, ${name}`, goal, seen)
  })

const barcodes = (degrees: number, goal: number) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const seen: Array<Seen> = []
    for (let number = 0; number < count; number++) {
      const { holder, text } = licenceText(random)
      const photo = yield* Effect.promise(() => barcodePhoto(random, text, degrees, levels.mild))
      seen.push(
        yield* timed(photo, (look) => {
          const fields = barcodeIn(look)?.fields
          const exact = fields?.document_number === holder.number && fields.surname === holder.surname
          return { exact, misleading: fields !== undefined && !exact }
        })
      )
    }
    yield* print(`PDF417, ${degrees} degrees`, goal, seen)
  })

/** Neither a zone nor a PDF417. */
const others = Effect.gen(function* () {
  const random = seeded(seed)
  const seen: Array<Seen> = []
  for (let number = 0; number < count; number++) {
    for (const thing of ["card", "letter", "shirt", "cloth"] as const) {
      const photo = yield* Effect.promise(() => otherPhoto(random, thing, levels.medium))
      seen.push(
        yield* timed(photo, (look) => ({
          exact: zoneIn(look) === undefined && barcodeIn(look) === undefined,
          misleading: zoneIn(look) !== undefined
        }))
      )
    }
  }
  yield* print("nothing to read", 1, seen)
})

const matrices = (format: "DataMatrix" | "QRCode", goal: number) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const seen: Array<Seen> = []
    for (let number = 0; number < count; number++) {
      const text = `https://utopia.example/${Math.floor(1e9 * random())}`
      const photo = yield* Effect.promise(() =>
        barcodePhoto(random, text, Math.floor(360 * random()), levels.mild, format)
      )
      seen.push(
        yield* timed(photo, (look) => ({ exact: barcodeIn(look)?.format === format, misleading: false }))
      )
    }
    yield* print(`${format}, any angle`, goal, seen)
  })

export const checks = Effect.gen(function* () {
  // The first photo loads the libraries.
  const { photo } = yield* Effect.promise(() => specimen(seeded(1), "TD3", levels.small))
  const { look } = yield* Looking
  yield* look({ content: photo, thisYear, shows: "document", faceModel: undefined })
  for (const name of ["clean", "mild", "medium", "small"] as const) yield* zones(name, 0.95)
  for (const name of ["hard", "turned"] as const) yield* zones(name, 0.8)
  for (const degrees of [0, 4, 8, 13, 15, 90, 180]) yield* barcodes(degrees, 0.95)
  for (const format of ["QRCode", "DataMatrix"] as const) yield* matrices(format, 0.95)
  yield* others
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
}).pipe(Effect.provide(Looking.Default))
