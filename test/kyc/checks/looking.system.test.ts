/** The process that looks at photos: what it reads, what it refuses, and what becomes of it when a photo breaks it. */

import { cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import sharp from "sharp"
import { findingsOf } from "../../../src/kyc/checks/findings-model.ts"
import type { Look } from "../../../src/kyc/checks/look-model.ts"
import { Looking, LookingBounds, NoLook } from "../../../src/kyc/checks/looking.ts"
import { Timing } from "../../../src/shared/timing.ts"
import { noise } from "../../support/kyc/pictures.ts"
import { astronaut } from "../../support/kyc/portraits.ts"
import { barcodePhoto, eriksson, levels, licenceText, seeded, specimen } from "../../support/kyc/specimens.ts"
import { patientTiming, withTimes } from "../../support/timing.ts"

const lookAt = (content: Uint8Array, shows: "document" | "other" | "selfie") =>
  Effect.flatMap(Looking, (looking) => looking.look({ content, thisYear: 2026, shows, faceModel: undefined }))
const look = (photo: Uint8Array) => lookAt(photo, "document")
/** Photos are rendered and looked at, on a machine that may be busy. */
const patience = 300_000

const promised = <A>(make: () => Promise<A>) => Effect.promise(make)

const zoneOf = (seen: Look) =>
  seen.found === "picture" && seen.zone.found === "zone" ? seen.zone : undefined

/** Whether what was seen of a document agrees with what was typed. */
const compared = (seen: Look, typed: Readonly<Record<string, string>>) =>
  findingsOf({
    photos: [{ id: "a", shows: "document", step: "document", look: seen }],
    typed: Object.fromEntries(Object.entries(typed).map(([field, value]) => [field, [value]])),
    documents: [{ step: "document", typed: {} }],
    ...{ seenIn: new Map(), minimumAge: undefined, today: "2026-11-23" },
    ...{ asksForSelfie: false, comparison: undefined }
  }).find(({ kind }) => kind === "document.mrz_matches")?.outcome

layer(Layer.provide(Looking.Default, Layer.succeed(Timing, patientTiming)), { timeout: Duration.minutes(5) })(
  (test) => {
    const whole = {
      ...{ document_number: "L898902C3", issuer: "UTO", nationality: "UTO", surname: "ERIKSSON" },
      ...{ given_names: "ANNA MARIA", birth_date: "1974-08-12", sex: "F", expiry_date: "2012-04-15" }
    }

    test.effect("reads a zone of each format, however the photo is turned", () =>
      Effect.gen(function* () {
        for (const [format, turned] of [
          ["TD1", 90],
          ["TD2", 180],
          ["TD3", 270]
        ] as const) {
          const { photo } = yield* promised(() => specimen(seeded(1), format, levels.mild, eriksson))
          const seen = yield* look(yield* promised(() => sharp(photo).rotate(turned).jpeg().toBuffer()))
          expect(zoneOf(seen)).toMatchObject({ format, fields: whole, check_digits: { wrong: [] } })
        }
      })
    )

    test.effect("accuses nobody who typed what the document says, and agrees with nothing else", () =>
      Effect.gen(function* () {
        const { clean, hard, medium, mild, small, turned } = levels
        const agreed: Array<boolean> = []
        for (const [place, level] of [clean, mild, small, medium, turned, hard, medium, hard].entries()) {
          const format = (["TD1", "TD2", "TD3"] as const)[place % 3] ?? "TD3"
          const { holder, photo } = yield* promised(() => specimen(seeded(100 + place), format, level))
          const seen = yield* look(photo)
          const right = {
            document_number: holder.number,
            surname: holder.surname,
            given_names: holder.given.replaceAll("<", " ")
          }
          agreed.push(compared(seen, right) === "agrees")
          expect([place, compared(seen, right)]).not.toContain("differs")
          for (const [field, value] of Object.entries(right)) {
            const wrong = value.slice(0, -1) + (/[1A]$/.test(value) ? "2" : "1")
            expect([place, field, compared(seen, { ...right, [field]: wrong })]).not.toContain("agrees")
          }
        }
        // It says what it can say, and not only that it does not know.
        expect(agreed.filter((one) => one).length).toBeGreaterThan(3)
      })
    )

    test.effect("turns a photo as its metadata says before it measures it", () =>
      Effect.gen(function* () {
        const upright = yield* promised(() =>
          sharp(noise(12, 8)).resize(600, 400, { kernel: "cubic" }).png().toBuffer()
        )
        // As orientations 1 to 8 (Exif 3.0, 4.6.5.1.6) store it.
        const stored = [
          sharp(upright),
          sharp(upright).flop(),
          sharp(upright).rotate(180),
          sharp(upright).flip(),
          sharp(upright).flop().rotate(270),
          sharp(upright).rotate(270),
          sharp(upright).flip().rotate(270),
          sharp(upright).rotate(90)
        ]
        const seen = []
        for (const [index, turned] of stored.entries()) {
          const photo = yield* promised(() =>
            turned
              .withMetadata({ orientation: index + 1 })
              .png()
              .toBuffer()
          )
          seen.push(yield* lookAt(photo, "other"))
        }
        expect(seen[0]).toMatchObject({ found: "picture", quality: { width: 600, height: 400 } })
        expect(seen[0]).toHaveProperty("hash", expect.stringMatching(/^[0-9a-f]{512}$/))
        for (const one of seen) expect(one).toEqual(seen[0])
      })
    )

    test.effect(
      "reads the barcode of a driving licence, however it is tilted or turned",
      () =>
        Effect.gen(function* () {
          const { holder, text } = licenceText(seeded(3))
          const fields = { document_number: holder.number, surname: holder.surname, issuer: "VA" }
          for (const degrees of [13, 90]) {
            const photo = yield* promised(() => barcodePhoto(seeded(4), text, degrees, levels.clean))
            const seen = yield* look(photo)
            expect([degrees, seen]).toMatchObject([degrees, { barcode: { format: "PDF417", fields } }])
          }
        }),
      patience
    )

    test.effect("decodes CMYK, 16 bits a channel and the first picture of an animation", () =>
      Effect.gen(function* () {
        const flat = sharp({ create: { width: 320, height: 240, channels: 3, background: "#404040" } })
        const frame = yield* promised(() => flat.clone().png().toBuffer())
        for (const photo of [
          yield* promised(() => flat.clone().toColourspace("cmyk").jpeg().toBuffer()),
          yield* promised(() => flat.clone().toColourspace("rgb16").png().toBuffer()),
          yield* promised(() =>
            sharp([frame, frame], { join: { animated: true } })
              .webp()
              .toBuffer()
          )
        ]) {
          expect(yield* lookAt(photo, "other")).toMatchObject({
            found: "picture",
            quality: { width: 320, height: 240, sharpness: 0 }
          })
        }
      })
    )

    test.effect("refuses what is no photo", () =>
      Effect.gen(function* () {
        const { photo } = yield* promised(() => specimen(seeded(5), "TD1", levels.small, eriksson))
        const bomb = yield* promised(() =>
          sharp({
            create: { width: 16_000, height: 16_000, channels: 3, background: "#000" },
            limitInputPixels: false
          })
            .png()
            .toBuffer()
        )
        for (const content of [
          Buffer.from(
            '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
          ),
          Buffer.from("%PDF-1.7\n"),
          photo.subarray(0, photo.length / 2),
          bomb
        ]) {
          expect(yield* look(content)).toEqual({ found: "no picture" })
        }
        // What follows the picture is not looked at.
        const both = Buffer.concat([photo, Buffer.from("<script>alert(1)</script>%PDF-1.7")])
        expect(zoneOf(yield* look(both))).toMatchObject({ fields: { surname: "ERIKSSON" } })
      })
    )
  }
)

/** Asks a program that does as its name says. By default, it may take little memory. */
const withProgram =
  (name: string, bytes = 400_000_000) =>
  <A, E>(asked: Effect.Effect<A, E, Looking>) => {
    const program = `${import.meta.dirname}/../../support/lookers/${name}.ts`
    return Effect.provide(
      asked,
      Layer.provide(Looking.Default, Layer.succeed(LookingBounds, { program, bytes }))
    ).pipe(withTimes({ timeouts: name === "hangs" ? { "kyc.look_cpu": 500 } : {} }))
  }

it.live(
  "stops a process that takes too much CPU time, dies or fills the memory, and asks a new one for the next photo",
  () =>
    Effect.gen(function* () {
      for (const name of ["hangs", "dies", "fills"]) {
        const tries = Effect.all([Effect.flip(look(new Uint8Array(1))), Effect.flip(look(new Uint8Array(1)))])
        expect(yield* withProgram(name)(tries)).toEqual([new NoLook(), new NoLook()])
      }
    })
)

it.live("believes no answer that it did not ask for", () =>
  Effect.gen(function* () {
    expect(yield* withProgram("lies")(look(new Uint8Array(1)))).toEqual({ found: "no picture" })
  })
)

it.live(
  "reads and counts all of it without a network",
  () =>
    Effect.gen(function* () {
      const { photo } = yield* promised(() => specimen(seeded(6), "TD3", levels.small, eriksson))
      const { holder, text } = licenceText(seeded(3))
      const licence = yield* promised(() => barcodePhoto(seeded(4), text, 4, levels.clean))
      const selfie = yield* promised(() => astronaut().jpeg().toBuffer())
      const all = Effect.all([look(photo), look(licence), lookAt(selfie, "selfie")])
      expect(yield* withProgram("cut-off", 1_073_741_824)(all)).toMatchObject([
        { zone: { fields: { document_number: "L898902C3" }, check_digits: { wrong: [] } } },
        { barcode: { fields: { document_number: holder.number } } },
        { faces: { faces: [{ width: expect.any(Number) }] } }
      ])
    }),
  patience
)

const root = `${import.meta.dirname}/../../..`

/** A copy of the program that cannot find some packages. */
const withoutPackages = (absent: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), "doorlock-test-looking-"))
      await cp(`${root}/src/kyc/checks`, `${folder}/src`, { recursive: true })
      await mkdir(`${folder}/node_modules`)
      for (const name of await readdir(`${root}/node_modules`)) {
        if (!absent.includes(name))
          await symlink(`${root}/node_modules/${name}`, `${folder}/node_modules/${name}`)
      }
      return folder
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  )

it.scopedLive("says which part is missing if a package is not installed", () =>
  Effect.gen(function* () {
    const { photo } = yield* promised(() => specimen(seeded(6), "TD1", levels.small, eriksson))
    const seenWithout = (...absent: ReadonlyArray<string>) =>
      Effect.flatMap(withoutPackages(absent), (folder) =>
        Effect.provide(
          look(photo),
          Layer.provide(
            Looking.Default,
            Layer.effect(
              LookingBounds,
              Effect.map(LookingBounds, (bounds) => ({ ...bounds, program: `${folder}/src/look.ts` }))
            )
          )
        ).pipe(withTimes({}))
      )
    const missing = { found: "no library" }
    expect(yield* seenWithout("sharp")).toEqual(missing)
    expect(yield* seenWithout("onnxruntime-node", "zxing-wasm")).toMatchObject({
      zone: missing,
      barcode: missing
    })
    expect(yield* seenWithout("aamva-parser", "@gutenye")).toMatchObject({ zone: missing, barcode: missing })
  })
)
