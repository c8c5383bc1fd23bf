/**
 * Looks at photos, one after another, as the service asks by messages. Whatever a photo does to a decoder affects only this process, which
 * has no settings and no connections, and gets no file but the bytes of the photo. It is not sandboxed: it can open whatever the service's
 * user can.
 */
import { writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { Schema } from "effect"
import { type BarcodeReader, loadBarcodeReader } from "./barcodes.ts"
import { Answered, Asked, type Look, type ZoneSeen } from "./look-model.ts"
import { loadNetworks, type Networks } from "./networks.ts"
import { decoded, loadSharp, Undecodable } from "./picture.ts"
import { hashOf } from "./picture-hash.ts"
import { qualityOf } from "./quality.ts"
import { readZone, type ZoneReading } from "./zone-reading.ts"

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

const nothing = { found: "nothing" } as const
const missing = { found: "no library" } as const

const zoneSeen = ({ confidence, zone }: ZoneReading): ZoneSeen => ({
  found: "zone",
  format: zone.format,
  fields: Object.fromEntries(Object.entries(zone.fields).filter(([, value]) => value !== undefined)),
  confidence,
  check_digits: { right: zone.digits - zone.wrong.length, of: zone.digits, wrong: zone.wrong },
  names_full: zone.namesFull
})

const look = async ({ content, isDocument, thisYear }: typeof Asked.Type): Promise<Look> => {
  const decode = await sharp()
  if (decode === undefined) return missing
  try {
    const picture = await decoded(decode, content)
    const seen = { found: "picture", quality: await qualityOf(picture), hash: await hashOf(picture) } as const
    if (!isDocument) return { ...seen, zone: nothing, barcode: nothing }
    const reader = await networks()
    const read = reader === undefined ? undefined : await readZone(reader, picture, thisYear)
    const readBarcode = await barcodes()
    // A side has a zone or a barcode, and looking for a barcode that is not there takes longest.
    const code = read === undefined ? await readBarcode?.(picture) : undefined
    return {
      ...seen,
      zone: reader === undefined ? missing : read === undefined ? nothing : zoneSeen(read),
      barcode: readBarcode === undefined ? missing : (code ?? nothing)
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
})
