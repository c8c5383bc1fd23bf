/** What sealing costs by itself: the CPU time of what a request seals and opens, without a server or a database. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { keyOwner, openData, sealMetadata, sealProgress } from "../../../src/kyc/sessions/sealing-model.ts"
import { DataKeys } from "../../../src/secrets/data-keys.ts"
import { openedFile, sealFile } from "../../../src/secrets/sealed-file.ts"
import { SecretKey } from "../../../src/secrets/secret-key.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { temporaryFolder } from "../../support/postgres.ts"
import { median } from "../load.ts"
import { figure, rounds } from "../table.ts"

/** What an end user who has come to the end has answered. */
const progress = {
  s_consent: { items: [{ id: "privacy", version: "2026-11", acceptedAt: "2026-11-20T10:00:00.000Z" }] },
  s_captcha: { done: true },
  s_person: {
    givenName: "Anna Maria",
    familyName: "Eriksson",
    dateOfBirth: "1974-08-12",
    nationality: "EST",
    occupation: "employed"
  },
  s_document: {
    type: "passport",
    country: "EST",
    expiry: "2034-04-15",
    last3: "2C3",
    mrzCheckDigits: "ok",
    files: [{ id: newId(), side: "front", document: "passport" }]
  },
  s_selfie: { files: [{ id: newId(), prompt: "straight" }] },
  current: "review"
}
const metadata = { plan: "gold", campaign: "spring" }

const times = 20_000
const megabytes = 64

const cpuMicros = async (act: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await act()
  const { system, user } = process.cpuUsage(before)
  return user + system
}

/** The CPU time of one call in µs, the median of the rounds after a first one. */
const each = (act: () => unknown) =>
  Effect.promise(async () => {
    const round = async () =>
      (await cpuMicros(() => {
        for (let i = 0; i < times; i++) act()
      })) / times
    await round()
    const measured: Array<number> = []
    for (let i = 0; i < rounds; i++) measured.push(await round())
    return `${median(measured).toFixed(1)} µs`
  })

/** Megabytes for each second of CPU time. */
const rate = (act: () => Promise<unknown>) =>
  Effect.promise(async () => {
    await act()
    const measured: Array<number> = []
    for (let i = 0; i < rounds; i++) measured.push((megabytes * 1e6) / (await cpuMicros(act)))
    return `${median(measured).toFixed(0)} MB/s`
  })

export const sealing = Effect.gen(function* () {
  const keys = yield* DataKeys
  const owner = keyOwner(newId(), newId())
  const { key, sealed } = keys.make(owner)
  const stored = {
    progress: sealProgress(key, progress),
    metadata: sealMetadata(key, metadata),
    result: null
  }
  const print = (what: string, measured: string) => figure(what, measured, "–", true)

  yield* print(
    "create a session: make and seal its key, seal its metadata",
    yield* each(() => sealMetadata(keys.make(owner).key, metadata))
  )
  yield* print(
    "progress of one step: seal a value",
    yield* each(() => sealProgress(key, { s_person: progress.s_person }))
  )
  yield* print(
    "read a session at its end: open its key and seven values",
    yield* each(() => openData(keys.open(owner, sealed), stored))
  )
  yield* print("the same where the key is cached", yield* each(() => openData(key, stored)))

  const folder = yield* temporaryFolder
  const content = new Uint8Array(megabytes * 1_000_000)
  const path = join(folder, "sealed")
  const seal = async () => {
    await rm(path, { force: true })
    await sealFile(key, "file", new Blob([content]).stream(), path)
  }
  yield* print("an upload: seal a file, for a second of CPU time", yield* rate(seal))
  const read = async () => {
    for await (const _ of await openedFile(key, "file", Bun.file(path).stream())) {
      // Only read.
    }
  }
  yield* print("a download: open a file, for a second of CPU time", yield* rate(read))
}).pipe(
  Effect.provide(DataKeys.Default),
  Effect.provide(SecretKey.layer(Redacted.make("a secret key for measurements, of 32 bytes")))
)
