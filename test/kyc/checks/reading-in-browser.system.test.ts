/** How the hosted page reads documents, without a browser. The photos are of specimens. */

import sharp, { type Sharp } from "sharp"
import { describe, expect, it } from "vitest"
import { packed as packedFaces } from "../../../src/kyc/checks/face-finder/pack.ts"
import { outputsOf } from "../../../src/kyc/checks/networks.ts"
import { zoneOf } from "../../../src/kyc/checks/zone-model.ts"
import { packed } from "../../../src/kyc/checks/zone-reader/pack.ts"
import { faceNetwork, faceSide } from "../../../src/web/kyc/hints/face-network.ts"
import { readStep } from "../../../src/web/kyc/instances/workflow.ts"
import type { Answer } from "../../../src/web/kyc/reading/messages.ts"
import { votes } from "../../../src/web/kyc/reading/votes.ts"
import { zoneReader } from "../../../src/web/kyc/reading/zone-reader.ts"
import { readDocument } from "../../../src/web/kyc/sessions/answers.ts"
import { filledFrom, formFilledFrom } from "../../../src/web/kyc/steps/document-filling.ts"
import { astronaut, nobody, photographer } from "../../support/kyc/portraits.ts"
import { levels, seeded, specimen } from "../../support/kyc/specimens.ts"

const weights = `${import.meta.dirname}/../../../src/kyc/checks/zone-reader`
const faceWeights = `${import.meta.dirname}/../../../src/kyc/checks/face-finder`

const greyOf = async (photo: Buffer) => {
  const { data, info } = await sharp(photo).greyscale().raw().toBuffer({ resolveWithObject: true })
  return { data: new Uint8Array(data), width: info.width, height: info.height }
}

it.each([
  ["zones", weights, packed],
  ["faces", faceWeights, packedFaces]
] as const)("has the weights of %s that the server has", async (_what, folder, pack) => {
  const written = await Bun.file(`${folder}/weights.bin`).bytes()
  expect(Buffer.from(pack(await Bun.file(`${folder}/weights.onnx`).bytes())).equals(written)).toBe(true)
})

it("sees a face where the server does, and none where there is none", async () => {
  const file = await Bun.file(`${faceWeights}/weights.bin`).arrayBuffer()
  const pixelsOf = async (photo: Sharp, side: number) =>
    new Uint8ClampedArray(await photo.resize(side, side).ensureAlpha().raw().toBuffer())
  const sureness = faceNetwork(file)
  for (const photo of [astronaut(), astronaut().flop(), photographer()])
    expect(sureness(await pixelsOf(photo, faceSide))).toBeGreaterThan(0.7)
  expect(sureness(await pixelsOf(nobody(), faceSide))).toBeLessThan(0.3)
  expect(sureness(new Uint8ClampedArray(4 * faceSide * faceSide).fill(128))).toBeLessThan(0.3)

  // At the server's size, it is as sure as the server's network, whose weights have 32 bits.
  const side = 256
  const pixels = await pixelsOf(astronaut(), side)
  const network = await outputsOf(`${faceWeights}/weights.onnx`)
  const input = Float32Array.from(
    { length: 3 * side * side },
    (_, index) => (pixels[4 * Math.floor(index / 3) + (index % 3)] ?? 0) / 127.5 - 1
  )
  const [small, large] = await network(input, [1, side, side, 3])
  const most = Math.max(...(small?.data ?? []), ...(large?.data ?? []))
  expect(faceNetwork(file, side)(pixels)).toBeCloseTo(1 / (1 + Math.exp(-most)), 1)
})

describe("the zone in a picture", async () => {
  const read = zoneReader(await Bun.file(`${weights}/weights.bin`).arrayBuffer())

  it.each(["TD1", "TD2", "TD3"] as const)("%s, as somebody holds it in front of a camera", async (format) => {
    const { lines, photo } = await specimen(seeded(7), format, levels.medium)
    const { birth_date, document_number, expiry_date, issuer, surname } = zoneOf(format, lines, 2026).fields
    const picture = await greyOf(photo)
    expect(await read(picture, ["TD1", "TD2", "TD3"])).toMatchObject({
      whole: true,
      fields: {
        number: document_number,
        dateOfBirth: birth_date,
        expiry: expiry_date,
        country: issuer,
        familyName: surname,
        zone: lines.join("\n")
      }
    })
  })

  it("says nothing of a field whose check digit is wrong", async () => {
    const lines = [
      "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
      "L898902C46UTO7408122F1204159ZE184226B<<<<<10"
    ]
    const { photo } = await specimen(seeded(7), "TD3", levels.mild, undefined, lines)
    const { fields, whole } = await read(await greyOf(photo), ["TD3"])
    expect(whole).toBe(false)
    expect(fields.number).toBeUndefined()
    expect(fields.zone).toBeUndefined()
    expect(fields.expiry).toBe("2012-04-15")
  })

  it("is not seen where there is none", async () => {
    const noise = seeded(3)
    const data = Uint8Array.from({ length: 640 * 480 }, () => 255 * noise())
    for (const pixels of [data, data.map(() => 128)]) {
      expect(await read({ data: pixels, width: 640, height: 480 }, ["TD1", "TD2", "TD3"])).toEqual({
        whole: false,
        fields: {}
      })
    }
  })
})

describe("several readings", () => {
  const right: Answer = { whole: true, fields: { number: "A1", expiry: "2030-01-01", zone: "lines" } }
  const partly: Answer = { whole: false, fields: { number: "A1", expiry: "2031-01-01" } }

  it("are enough once two that are right as a whole are the same", () => {
    const heard = votes()
    heard.add(right)
    heard.add(partly)
    expect(heard.isDecided()).toBe(false)
    heard.add(right)
    expect(heard.isDecided()).toBe(true)
    expect(heard.finally()).toEqual(right.fields)
  })

  it("say what two agree on, field by field", () => {
    const heard = votes()
    heard.add({ whole: false, fields: { number: "A1", expiry: "2030-01-01" } })
    heard.add(partly)
    expect(heard.finally()).toEqual({ number: "A1" })
  })

  it("say what the last one says if it is right as a whole, and nothing that only another one said", () => {
    const heard = votes()
    heard.add(partly)
    expect(heard.finally()).toEqual({})
    heard.add({ ...right, fields: { ...right.fields, number: "B2" } })
    expect(heard.finally()).toEqual({ number: "B2", expiry: "2030-01-01", zone: "lines" })
  })
})

describe("the fields of a document", () => {
  const stepOf = (given: object) => {
    const step = readStep({ id: "doc", type: "document", ...given }, 0)
    if (step.type !== "document") throw new Error("not a document")
    return step
  }
  const read = { country: "D", number: "A1", expiry: "2030-01-01", zone: "lines" }

  it("are filled in, unless they are not asked for, or the country is not offered", () => {
    expect(filledFrom(read, stepOf({}), readDocument({}), {})).toEqual({ ...read, country: "DEU" })
    expect(
      filledFrom(read, stepOf({ mrz: "off", ask: ["number"], countries: ["EST"] }), readDocument({}), {})
    ).toEqual({ number: "A1" })
  })

  it("keep what was typed, and with it go no lines that say something else", () => {
    const typed = readDocument({ number: "B2" })
    expect(filledFrom(read, stepOf({}), typed, {})).toEqual({ country: "DEU", expiry: "2030-01-01" })
    // Another photo may replace what a photo filled in.
    expect(filledFrom(read, stepOf({}), typed, { number: "B2" })).toMatchObject({
      number: "A1",
      zone: "lines"
    })
  })
})

it("fills in a form that comes later, but no field that has something in it", () => {
  const step = readStep(
    {
      id: "person",
      type: "form",
      fields: [
        { id: "first", type: "text", autocomplete: "given-name" },
        { id: "surname", type: "text" },
        { id: "birthday", type: "date" },
        { id: "nationality", type: "country", countries: ["DEU"] },
        { id: "email", type: "text" }
      ]
    },
    0
  )
  if (step.type !== "form") throw new Error("not a form")
  const read = { givenName: "ANNA MARIA", familyName: "O'NEILL", dateOfBirth: "1974-08-12", nationality: "D" }
  expect(formFilledFrom(read, step, { birthday: "1974-08-13" })).toEqual({
    first: "Anna Maria",
    surname: "O'Neill",
    nationality: "DEU"
  })
  expect(formFilledFrom({ ...read, nationality: "EST" }, step, {})).not.toHaveProperty("nationality")
})
