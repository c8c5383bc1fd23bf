/** Faces in selfies: how many are counted, which way they look, and what is said of it. */
import { expect, it, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import sharp, { type Sharp } from "sharp"
import type { Look } from "../../../src/kyc/checks/look-model.ts"
import { Looking } from "../../../src/kyc/checks/looking.ts"
import type { Photo } from "../../../src/kyc/checks/photo-findings-model.ts"
import { facesFinding, similarityFinding } from "../../../src/kyc/checks/selfie-findings-model.ts"
import { astronaut, nobody, photographer, side } from "../../support/kyc/portraits.ts"

const facesIn = (photo: Uint8Array) =>
  Effect.map(
    Effect.flatMap(Looking, ({ look }) =>
      look({ content: photo, thisYear: 2026, shows: "selfie", faceModel: undefined })
    ),
    (seen) => {
      if (seen.found !== "picture" || seen.faces.found !== "faces") throw new Error("nothing was counted")
      return seen.faces.faces
    }
  )

layer(Looking.Default, { timeout: Duration.minutes(5) })((test) => {
  test.effect("counts none, one and two, and says which way they look", () =>
    Effect.gen(function* () {
      const promised = (photo: Sharp) => Effect.promise(() => photo.jpeg().toBuffer())
      expect(yield* facesIn(yield* promised(nobody()))).toEqual([])

      const [one, ...more] = yield* facesIn(yield* promised(astronaut()))
      expect(more).toEqual([])
      expect(Math.abs(one?.turn ?? 90)).toBeLessThan(15)
      // In pixels of the photo, which has 512 on a side.
      const [large] = yield* facesIn(yield* promised(sharp(yield* promised(astronaut())).resize(2048)))
      expect(Math.round((large?.width ?? 0) / (one?.width ?? 1))).toBe(4)

      const [left] = yield* facesIn(yield* promised(photographer()))
      const [right] = yield* facesIn(yield* promised(photographer().flop()))
      expect(left?.turn).toBeGreaterThan(15)
      expect(right?.turn).toBeLessThan(-15)

      const both = sharp({ create: { width: 2 * side, height: side, channels: 3, background: "#808080" } })
      const pictures = yield* Effect.all([astronaut(), photographer()].map(promised))
      const beside = both.composite(pictures.map((input, index) => ({ input, left: index * side, top: 0 })))
      expect(yield* facesIn(yield* promised(beside))).toHaveLength(2)
    })
  )
})

const quality = { width: 1600, height: 1200, sharpness: 500, brightness: 150, glare: 0 }
const nothing = { found: "nothing" } as const

type Vector = Extract<Look, { readonly found: "picture" }>["vector"]

/** A selfie with a face for each of these angles. */
const selfie = (
  turns: ReadonlyArray<number>,
  more: Partial<Photo> & { readonly brightness?: number; readonly vector?: Vector } = {}
): Photo => {
  const { brightness = 150, vector = nothing, ...photo } = more
  return {
    id: "a",
    shows: "selfie",
    look: {
      found: "picture",
      quality: { ...quality, brightness },
      zone: nothing,
      barcode: nothing,
      faces: { found: "faces", faces: turns.map((turn) => ({ width: 400, height: 400, turn })) },
      vector
    },
    ...photo
  }
}

const said = (...selfies: ReadonlyArray<Photo>) => {
  const { outcome, reason } = facesFinding(selfies)
  return `${outcome}: ${reason}`
}

it("agrees if each selfie has exactly one face", () => {
  expect(said(selfie([3]))).toBe("agrees: One face was counted in the selfie: straight.")
  const three = [
    selfie([3], { asked: "straight" }),
    selfie([20], { id: "b", asked: "left" }),
    selfie([-20], { id: "c", asked: "right" })
  ]
  expect(said(...three)).toBe("agrees: One face was counted in each of 3 selfies: straight, left, right.")
  expect(facesFinding(three)).toMatchObject({
    file_ids: ["a", "b", "c"],
    detail: {
      count: 1,
      photos: [
        { file_id: "a", count: 1, asked: "straight", faces: [{ width: 400, turn: 3, pose: "straight" }] },
        { file_id: "b", faces: [{ pose: "left" }] },
        { file_id: "c", faces: [{ pose: "right" }] }
      ]
    }
  })
  // The pose is a fact beside it.
  expect(said(selfie([3], { asked: "straight" }), selfie([0], { asked: "left" }))).toBe(
    "agrees: One face was counted in each of 2 selfies: straight, straight. The pose that was asked for was seen in 1 of 2."
  )
})

it("differs if a selfie has none or several, and says where faces could not be counted", () => {
  expect(said(selfie([]))).toBe("differs: No face was counted in the selfie.")
  expect(said(selfie([0, 0]), selfie([0]), selfie([]))).toBe(
    "differs: More than one face was counted in 1 of 3 selfies. No face was counted in 1 of 3 selfies."
  )
  expect(facesFinding([selfie([0, 0]), selfie([0])]).detail.count).toBe(2)
  expect(said(selfie([], { brightness: 10 }))).toBe(
    "unreadable: No face was counted in the selfie: the photo is dark."
  )
  expect(said(selfie([0]), selfie([], { look: "failed" }))).toBe(
    "unreadable: Faces were not counted in 1 of 2 selfies."
  )
  expect(said()).toBe("not_checked: There is no selfie.")
})

it("compares the document with the straightest selfie that has one face, and says that nothing is calibrated", () => {
  const model = { threshold: 0.5 }
  const vector = (...values: ReadonlyArray<number>): Vector => ({ found: "vector", values })
  const document = (vector: Vector): Photo => ({ ...selfie([], { vector }), id: "d", shows: "document" })
  const compared = (documents: ReadonlyArray<Photo>, selfies: ReadonlyArray<Photo>) => {
    const { outcome, reason } = similarityFinding(documents, selfies, { model })
    return `${outcome}: ${reason}`
  }
  const portrait = document(vector(1, 0))
  // A PDF beside it does not hide that the selfie was looked at.
  const pdf = selfie([], { look: "type" })
  expect(compared([portrait], [pdf])).toBe("not_checked: Files of this type are not looked at.")
  expect(compared([portrait], [pdf, selfie([], { vector: { found: "nothing" } })])).toBe(
    "unreadable: No selfie has exactly one face that is large enough to be compared."
  )
  const selfies = [
    selfie([2, 3], { vector: vector(1, 0), id: "two" }),
    selfie([20], { vector: vector(1, 0), id: "turned" }),
    selfie([-4], { vector: vector(3, 4), id: "straight" })
  ]
  expect(similarityFinding([portrait], selfies, { model })).toMatchObject({
    kind: "selfie.similarity",
    outcome: "agrees",
    reason:
      "The face in the document and that in the selfie have a similarity of 0.6, which is not below this service's threshold of 0.5. Neither is calibrated.",
    detail: { score: 0.6, threshold: 0.5, calibrated: false },
    file_ids: ["d", "straight"],
    engine: "the operator's network, onnxruntime-node 1.30.0"
  })
  expect(compared([portrait], [selfie([0], { vector: vector(0, 2) })])).toBe(
    "differs: The face in the document and that in the selfie have a similarity of 0, which is below this service's threshold of 0.5. Neither is calibrated."
  )
  const broken = "not_checked: The network that compares faces cannot be used."
  expect(compared([portrait], [selfie([0], { vector: vector(1, 0, 0) })])).toBe(broken)
  expect(compared([document(nothing)], selfies)).toBe(
    "unreadable: No face was found in the document that is large enough to be compared."
  )
  expect(compared([portrait], selfies.slice(0, 1))).toBe(
    "unreadable: No selfie has exactly one face that is large enough to be compared."
  )
})
