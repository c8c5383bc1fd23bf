import { createHash } from "node:crypto"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { startCompany } from "../../support/kyc/partner.ts"
import { everyRow, execute } from "../../support/postgres.ts"
import { startServerOn } from "../../support/server.ts"

const bytesInHex = (text: string) => Buffer.from(text).toString("hex")

it.scopedLive("no table contains a submitted hash, or anything computed from it without the pepper", () =>
  Effect.gen(function* () {
    const given = yield* startCompany()
    const session = yield* given.newSession()
    const hashes = Array.from({ length: 3 }, newKeyHash)
    for (const keyHash of [...hashes, ...hashes.map((keyHash) => keyHash.toUpperCase())]) {
      expect((yield* check(given, session, keyHash)).status).toBe(200)
    }
    const lines = (yield* everyRow(given.server.databaseUrl)).map((row) => row.toLowerCase())
    const found = (needle: string) => lines.filter((line) => line.includes(needle.toLowerCase()))
    // The search does find stored values.
    expect(found(session.id).length).toBeGreaterThan(3)
    const hmacs = yield* execute(
      given.server.databaseUrl,
      "select encode(key_hmac, 'hex') as hex from kyc_dedup_records"
    )
    expect(hmacs).toHaveLength(3)
    for (const { hex } of hmacs) expect(found(String(hex)).length).toBeGreaterThan(1)
    for (const keyHash of hashes) {
      expect(found(keyHash)).toStrictEqual([])
      expect(found(bytesInHex(keyHash))).toStrictEqual([])
      expect(found(bytesInHex(keyHash.toUpperCase()))).toStrictEqual([])
      expect(found(Buffer.from(keyHash, "hex").toString("base64"))).toStrictEqual([])
      for (const plain of [Buffer.from(keyHash), Buffer.from(keyHash, "hex")]) {
        expect(found(createHash("sha256").update(plain).digest("hex"))).toStrictEqual([])
      }
    }
  })
)

it.scopedLive("the pepper belongs to the installation: under another SECRET_KEY a hash is unknown", () =>
  Effect.gen(function* () {
    const given = yield* startCompany()
    const [session, other] = [yield* given.newSession(), yield* given.newSession()]
    const keyHash = newKeyHash()
    expect((yield* check(given, session, keyHash)).body).toMatchObject({ seenCount: 1 })
    const replica = yield* startServerOn(given.server.databaseUrl)
    expect((yield* check({ server: replica }, other, keyHash)).body).toMatchObject({ seenCount: 2 })
    const stranger = yield* startServerOn(given.server.databaseUrl, {
      SECRET_KEY: "another secret key, of 32 bytes or more"
    })
    expect((yield* check({ server: stranger }, session, keyHash)).body).toMatchObject({
      matchFound: false,
      seenCount: 1
    })
  })
)
