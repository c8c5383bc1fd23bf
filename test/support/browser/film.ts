/** What a camera sees of a document that somebody holds still in front of it. */
import { writeFile } from "node:fs/promises"
import { Effect } from "effect"
import sharp from "sharp"
import type { ZoneFormat } from "../../../src/kyc/checks/zone-model.ts"
import { eriksson, type Holder, type Level, levels, seeded, specimen, zoneLines } from "../kyc/specimens.ts"
import { temporaryFolder } from "../postgres.ts"

/** Of Estonia, because Utopia is on no list of countries. */
const filmedHolder = { ...eriksson, expiry: "340415" }

/** Chromium makes pictures of a film brighter. With this light, a document looks as in a room. */
const light = 0.75

/** As many as a loop needs. */
const pictures = 5

/** Held by hand in front of a phone, upright or on its side. Chromium cuts higher pictures. */
export const upright = {
  ...levels.mild,
  turned: 1.5,
  perspective: 0.01,
  edge: 1080,
  height: 1080,
  share: 0.86
}
export const sideways = { ...upright, edge: 1600, share: 0.79 }

/** A photo of a specimen whose holder differs from `filmedHolder` as said. */
export const photoOfHolder = async (format: ZoneFormat, level: Level, other: Partial<Holder> = {}) => {
  const holder = { ...filmedHolder, ...other }
  const lines = zoneLines(format, holder).map((line) => line.replaceAll("UTO", "EST"))
  const { photo } = await specimen(seeded(1), format, level, holder, lines)
  return sharp(photo).linear(light).jpeg().toBuffer()
}

/** The path of a film that shows a specimen (`.mjpeg`: one JPEG after another). It is deleted with the scope. */
export const filmOf = (format: ZoneFormat, level: Level) =>
  Effect.gen(function* () {
    const path = `${yield* temporaryFolder}/document.mjpeg`
    yield* Effect.promise(async () => {
      const picture = await photoOfHolder(format, level)
      await writeFile(path, Buffer.concat(Array.from({ length: pictures }, () => picture)))
    })
    return path
  })
