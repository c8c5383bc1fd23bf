/**
 * How well the process that looks at photos reads zones and barcodes and counts faces. `PHOTOS` (20) sets how many of each kind, `SEED` which;
 * `FACES` may name a folder of photos that each show one face.
 */
import { Effect } from "effect"
import { isReliable, protectedFields } from "../../../src/kyc/checks/comparison-model.ts"
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
import { printAll, printPhotos, type Seen, thisYear, timed } from "../looks.ts"
import { faces } from "./faces.ts"

const count = Number(process.env.PHOTOS ?? 20)
const seed = Number(process.env.SEED ?? 20_261_123)

const zoneIn = (look: Look): ZoneSeen | undefined =>
  look.found === "picture" && look.zone.found === "zone" ? look.zone : undefined

const barcodeIn = (look: Look): BarcodeSeen | undefined =>
  look.found === "picture" && look.barcode.found === "barcode" ? look.barcode : undefined

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
              (field) => zone !== undefined && zone.fields[field] !== truth[field] && isReliable(zone, field)
            )
            return {
              exact: zone !== undefined && JSON.stringify(zone.fields) === JSON.stringify(truth),
              misleading: wrong.length > 0
            }
          })
        )
      }
    }
    yield* printPhotos(`zone, ${name}`, goal, seen)
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
    yield* printPhotos(`PDF417, ${degrees} degrees`, goal, seen)
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
  yield* printPhotos("nothing to read", 1, seen)
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
    yield* printPhotos(`${format}, any angle`, goal, seen)
  })

export const checks = Effect.gen(function* () {
  // The first photo loads the libraries.
  const { photo } = yield* Effect.promise(() => specimen(seeded(1), "TD3", levels.small))
  const { look } = yield* Looking
  yield* look({ content: photo, thisYear, shows: "document", faceModel: undefined })
  for (const name of ["clean", "mild", "medium", "small"] as const) yield* zones(name, 0.95)
  for (const name of ["hard", "turned", "patterned"] as const) yield* zones(name, 0.8)
  for (const degrees of [0, 4, 8, 13, 15, 90, 180]) yield* barcodes(degrees, 0.95)
  for (const format of ["QRCode", "DataMatrix"] as const) yield* matrices(format, 0.95)
  yield* others
  yield* faces
  yield* printAll
}).pipe(Effect.provide(Looking.Default))
