/** How well the process that looks at photos reads zones and barcodes, and how long it takes. `PHOTOS` (20) sets how many of each kind. */
import { Effect } from "effect"
import type { BarcodeSeen, Look, ZoneSeen } from "../../../src/kyc/checks/look-model.ts"
import { Looking } from "../../../src/kyc/checks/looking.ts"
import { zoneOf } from "../../../src/kyc/checks/zone-model.ts"
import { barcodePhoto, levels, licenceText, seeded, specimen } from "../../support/kyc/specimens.ts"
import { say } from "../table.ts"

const count = Number(process.env.PHOTOS ?? 20)
const seed = Number(process.env.SEED ?? 20_261_123)
const thisYear = 2026

export const checksHeader = [
  "| Photos | Number | All fields right | Goal | All check digits right, a field wrong | p50 s | p95 s |",
  "|---|---|---|---|---|---|---|"
]

interface Seen {
  readonly exact: boolean
  readonly misleading: boolean
  readonly seconds: number
}

const zoneIn = (look: Look): ZoneSeen | undefined =>
  look.found === "picture" && look.zone.found === "zone" ? look.zone : undefined

const barcodeIn = (look: Look): BarcodeSeen | undefined =>
  look.found === "picture" && look.barcode.found === "barcode" ? look.barcode : undefined

const timed = Effect.fnUntraced(function* (photo: Buffer, judge: (look: Look) => Omit<Seen, "seconds">) {
  const { look } = yield* Looking
  const began = performance.now()
  const seen = yield* Effect.option(
    look({ content: photo, thisYear, shows: "document", faceModel: undefined })
  )
  const seconds = (performance.now() - began) / 1000
  const judged = seen._tag === "Some" ? judge(seen.value) : { exact: false, misleading: false }
  return { ...judged, seconds }
})

const percentile = (values: ReadonlyArray<number>, share: number): string =>
  (
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0
  ).toFixed(1)

const print = (what: string, goal: number, seen: ReadonlyArray<Seen>) => {
  const share = seen.filter(({ exact }) => exact).length / seen.length
  const seconds = seen.map((one) => one.seconds)
  return say(
    `| ${what} | ${seen.length} | ${(100 * share).toFixed(0)} %${share >= goal ? "" : " (missed)"} | ${100 * goal} % | ${
      seen.filter(({ misleading }) => misleading).length
    } | ${percentile(seconds, 0.5)} | ${percentile(seconds, 0.95)} |`
  )
}

const zones = (name: keyof typeof levels, goal: number) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const seen: Array<Seen> = []
    for (const format of ["TD1", "TD2", "TD3"] as const) {
      for (let number = 0; number < count; number++) {
        const { lines, photo } = yield* Effect.promise(() => specimen(random, format, levels[name]))
        const truth = JSON.stringify(zoneOf(format, lines, thisYear).fields)
        seen.push(
          yield* timed(photo, (look) => {
            const zone = zoneIn(look)
            const exact = zone !== undefined && JSON.stringify(zone.fields) === truth
            return { exact, misleading: !exact && zone !== undefined && zone.check_digits.wrong.length === 0 }
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

export const checks = Effect.gen(function* () {
  for (const name of ["clean", "mild", "medium", "small"] as const) yield* zones(name, 0.95)
  for (const name of ["hard", "turned"] as const) yield* zones(name, 0.8)
  for (const degrees of [0, 4, 8, 13, 15, 90, 180]) yield* barcodes(degrees, 0.95)
}).pipe(Effect.provide(Looking.Default))
