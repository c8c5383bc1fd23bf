/** What a camera sees of a document that somebody holds still in front of it. */
import { writeFile } from "node:fs/promises"
import { Effect } from "effect"
import sharp from "sharp"
import type { ZoneFormat } from "../../../src/kyc/checks/zone-layouts-model.ts"
import {
  barcodePhoto,
  eriksson,
  type Holder,
  type Level,
  levels,
  seeded,
  specimen,
  zoneLines
} from "../kyc/specimens.ts"
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

/** How a document is filmed. Another seed gives another film. */
export type Filmed = Level & { readonly seed?: number }

/** A photo of a specimen whose holder differs from `filmedHolder` as said. */
export const photoOfHolder = async (
  format: ZoneFormat,
  { seed = 1, ...level }: Filmed,
  other: Partial<Holder> = {}
) => {
  const holder = { ...filmedHolder, ...other }
  const lines = zoneLines(format, holder).map((line) => line.replaceAll("UTO", "EST"))
  const { photo } = await specimen(seeded(seed), format, level, holder, lines)
  return sharp(photo).linear(light).jpeg().toBuffer()
}

/** The path of a film that shows a photo (`.mjpeg`: one JPEG after another). It is deleted with the scope. */
const film = (photo: () => Promise<Buffer>) =>
  Effect.gen(function* () {
    const path = `${yield* temporaryFolder}/document.mjpeg`
    const picture = yield* Effect.promise(photo)
    yield* Effect.promise(() =>
      writeFile(path, Buffer.concat(Array.from({ length: pictures }, () => picture)))
    )
    return path
  })

/** A film of a document with a zone. */
export const filmOf = (format: ZoneFormat, level: Filmed) => film(() => photoOfHolder(format, level))

/** A film of the back of a driving licence, with this text in its barcode. */
export const filmOfBarcode = (text: string, level: Level) =>
  film(async () =>
    sharp(await barcodePhoto(seeded(1), text, 0, level))
      .linear(light)
      .jpeg()
      .toBuffer()
  )
