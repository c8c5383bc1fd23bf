/**
 * Looks at photos, one after another, as the service asks by messages. Whatever a photo does to a decoder affects only this process, which
 * has no settings and no connections, and gets no file but the bytes of the photo. It is not sandboxed: it can open whatever the service's
 * user can.
 */
import { writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { Schema } from "effect"
import { type BarcodeReader, loadBarcodeReader } from "./barcodes.ts"
import { loadVectors, type Vectors } from "./face-vectors.ts"
import {
  type Face,
  type FaceFinder,
  loadFaceFinder,
  portraitsIn,
  scaled,
  seenOf,
  selfieFaces
} from "./faces.ts"
import { Answered, Asked, type Look, type Shows, type ZoneSeen } from "./look-model.ts"
import { loadNetworks, type Networks } from "./networks.ts"
import { type Colour, decoded, loadSharp, type Picture, Undecodable } from "./picture.ts"
import { hashOf } from "./picture-hash.ts"
import { qualityOf } from "./quality.ts"
import { type Box, enlarged } from "./sampling.ts"
import { stripeBoxes, textBox, textureOf } from "./texture.ts"
import type { ZoneReading } from "./zone-reading.ts"
import { readZone } from "./zone-search.ts"

/** Undefined: a package is not installed. It is loaded when the first photo comes. */
const ifInstalled = <A>(load: () => Promise<A>): (() => Promise<A | undefined>) => {
  let loaded: Promise<A | undefined> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      const code = error instanceof Error && "code" in error ? error.code : undefined
      if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return undefined
      throw error
    })
    return loaded
  }
}

const sharp = ifInstalled(loadSharp)
const networks = ifInstalled<Networks>(loadNetworks)
const barcodes = ifInstalled<BarcodeReader>(loadBarcodeReader)
const faceFinder = ifInstalled<FaceFinder>(loadFaceFinder)

const nothing = { found: "nothing" } as const
const missing = { found: "no library" } as const
const noNetwork = { found: "no network" } as const

const zoneSeen = ({ confidence, lines, zone }: ZoneReading): ZoneSeen => ({
  found: "zone",
  format: zone.format,
  lines,
  fields: Object.fromEntries(Object.entries(zone.fields).filter(([, value]) => value !== undefined)),
  confidence,
  check_digits: { right: zone.digits - zone.wrong.length, of: zone.digits, wrong: zone.wrong },
  names_full: zone.namesFull
})

/** Pixels of the long edge. More do not show more faces, but the portrait of a document is small. */
const edges = { find: 512, portrait: 1600 } as const

/** In pixels of the picture from which it is cut. A smaller face is not compared. */
const leastWidth = 40

/** By file, the networks that compare faces. */
const networksOfOperator = new Map<string, Promise<Vectors>>()

type Seen = Extract<Look, { readonly found: "picture" }>

/** @param width of the picture in which the face was found */
const vectorOf = async (model: string, seen: Colour, found: Face, width: number): Promise<Seen["vector"]> => {
  const face = scaled(found, seen.width / width)
  if (face.width < leastWidth) return nothing
  const network = networksOfOperator.get(model) ?? loadVectors(model)
  networksOfOperator.set(model, network)
  try {
    return { found: "vector", values: await (await network)(seen, face) }
  } catch {
    // The next photo tries again: the operator may have replaced the file.
    networksOfOperator.delete(model)
    return noNetwork
  }
}

/** The faces of a selfie are counted. Those of a document are only looked for to be compared. */
const facesIn = async (
  picture: Picture,
  shows: Shows,
  model: string | undefined
): Promise<Pick<Seen, "faces" | "vector">> => {
  if (shows === "other" || (shows === "document" && model === undefined))
    return { faces: nothing, vector: nothing }
  const find = await faceFinder()
  if (find === undefined)
    return { faces: shows === "selfie" ? missing : nothing, vector: model === undefined ? nothing : missing }
  const small = await picture.colourWithin(edges.find)
  const faces = shows === "selfie" ? await selfieFaces(find, small) : await portraitsIn(find, small)
  const [largest] = faces
  return {
    faces:
      shows === "selfie"
        ? { found: "faces", faces: faces.map((face) => seenOf(face, picture.width / small.width)) }
        : nothing,
    vector:
      model === undefined || largest === undefined
        ? nothing
        : await vectorOf(model, await picture.colourWithin(edges.portrait), largest, small.width)
  }
}

const look = async ({ content, faceModel, shows, thisYear }: Asked): Promise<Look> => {
  const decode = await sharp()
  if (decode === undefined) return missing
  try {
    const picture = await decoded(decode, content)
    const seen = { found: "picture", quality: qualityOf(picture), hash: await hashOf(picture) } as const
    const faces = await facesIn(picture, shows, faceModel)
    if (shows !== "document") return { ...seen, zone: nothing, barcode: nothing, ...faces }
    const texture = textureOf(picture.small)
    const whole = (box: Box): Box => enlarged(box, picture.grey.width / picture.small.width)
    const readers = { zone: await networks(), barcode: await barcodes() }
    const text = textBox(texture)
    const read =
      readers.zone === undefined || text === undefined
        ? undefined
        : await readZone(readers.zone, picture.grey, whole(text), thisYear)
    const code = await readers.barcode?.(picture, stripeBoxes(texture).map(whole))
    return {
      ...seen,
      zone: readers.zone === undefined ? missing : read === undefined ? nothing : zoneSeen(read),
      barcode: readers.barcode === undefined ? missing : (code ?? nothing),
      ...faces
    }
  } catch (error) {
    if (error instanceof Undecodable) return { found: "no picture" }
    throw error
  }
}

// Requests have priority over checks.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
try {
  // If the machine runs out of memory, the kernel kills this process first.
  writeFileSync("/proc/self/oom_score_adj", "1000")
} catch {
  // The file exists only on Linux, and some containers refuse to write it.
}
// The service has died.
process.on("disconnect", () => process.exit())
process.on("message", async (message: unknown) => {
  const asked = Schema.decodeUnknownSync(Asked)(message)
  const answer: typeof Answered.Type = { number: asked.number, look: await look(asked) }
  process.send?.(Schema.encodeSync(Answered)(answer))
  // A photo leaves up to 200 MB behind. The runtime would only collect it while it looks at the next one, which takes as much again.
  Bun.gc(true)
})
