/** In how many selfies one face is counted, as they are and changed. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import sharp, { type Sharp } from "sharp"
import type { Look } from "../../../src/kyc/checks/look-model.ts"
import { astronaut, nobody, photographer } from "../../support/kyc/portraits.ts"
import { printPhotos, timed } from "../looks.ts"

const folder = process.env.FACES

/** Photos that each show one face. */
const selfies: ReadonlyArray<() => Sharp> =
  folder === undefined
    ? [astronaut, photographer]
    : readdirSync(folder).map((name) => () => sharp(join(folder, name)).autoOrient())

const changes: Readonly<Record<string, (photo: Sharp) => Sharp>> = {
  "as they are": (photo) => photo,
  mirrored: (photo) => photo.flop(),
  "tilted by 20 degrees": (photo) => photo.rotate(20, { background: "#606060" }),
  "tilted by 40 degrees": (photo) => photo.rotate(40, { background: "#606060" }),
  "a quarter of the light": (photo) => photo.linear(0.25, 0),
  overexposed: (photo) => photo.linear(2, 40),
  grey: (photo) => photo.greyscale(),
  "blurred (12 of 900 pixels)": (photo) => photo.resize(900).blur(12),
  "120 pixels wide": (photo) => photo.resize(120),
  "turned by 90 degrees": (photo) => photo.rotate(90),
  "upside down": (photo) => photo.rotate(180)
}

const counts = (look: Look): number | undefined =>
  look.found === "picture" && look.faces.found === "faces" ? look.faces.faces.length : undefined

const row = (what: string, photos: ReadonlyArray<Sharp>, faces: number) =>
  Effect.flatMap(
    Effect.forEach(photos, (photo) =>
      Effect.flatMap(
        Effect.promise(() => photo.jpeg().toBuffer()),
        (content) =>
          timed(content, (look) => ({ exact: counts(look) === faces, misleading: false }), "selfie")
      )
    ),
    (seen) => printPhotos(what, undefined, seen)
  )

export const faces = Effect.gen(function* () {
  for (const [name, change] of Object.entries(changes)) {
    yield* row(
      `one face, ${name}`,
      selfies.map((photo) => change(photo())),
      1
    )
  }
  yield* row("no face", [nobody()], 0)
})
