import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted } from "effect"
import { Config } from "../../src/config.ts"
import { type Purpose, SecretKey } from "../../src/secrets/secret-key.ts"
import * as storedKey from "../../src/secrets/stored-key.ts"
import { temporaryFolder } from "../support/postgres.ts"

const purposes: ReadonlyArray<Purpose> = [
  "captcha-jwt",
  "captcha-challenge",
  "dedup-pepper",
  "frame-ticket",
  "marketplace-key",
  "photo-hash",
  "seal"
]

const derived = (key: Context.Tag.Service<SecretKey>) =>
  purposes.map((purpose) => Buffer.from(key.derive(purpose)).toString("hex"))

const ofRoot = (root: string) =>
  Effect.map(Layer.build(SecretKey.layer(Redacted.make(root))), (context) =>
    derived(Context.get(context, SecretKey))
  )

const ofEnvironment = (env: Readonly<Record<string, string>>) =>
  Effect.map(Layer.build(Layer.provide(storedKey.layer, Config.layer(env))), (context) =>
    derived(Context.get(context, SecretKey))
  )

describe("SECRET_KEY (contract.md#secret-key)", () => {
  it.scopedLive("derives a 32-byte key for each purpose with HKDF and a label", () =>
    Effect.gen(function* () {
      const keys = yield* ofRoot("a root secret of 32 bytes or more")
      const material = yield* Effect.promise(() =>
        crypto.subtle.importKey("raw", Buffer.from("a root secret of 32 bytes or more"), "HKDF", false, [
          "deriveBits"
        ])
      )
      const expected = yield* Effect.forEach(purposes, (purpose) =>
        Effect.promise(() =>
          crypto.subtle.deriveBits(
            { name: "HKDF", hash: "SHA-256", salt: Buffer.from("doorlock"), info: Buffer.from(purpose) },
            material,
            256
          )
        )
      )
      expect(keys).toEqual(expected.map((bits) => Buffer.from(bits).toString("hex")))
      expect(new Set(keys).size).toBe(purposes.length)
      expect(yield* ofRoot("another root secret of 32 bytes!")).not.toEqual(keys)
    })
  )

  it.scopedLive("is the configured one", () =>
    Effect.gen(function* () {
      const root = "a root secret of 32 bytes or more"
      expect(yield* ofEnvironment({ SECRET_KEY: root })).toEqual(yield* ofRoot(root))
    })
  )

  it.scopedLive("otherwise is generated once and stored in DATA_DIR, readable only by its owner", () =>
    Effect.gen(function* () {
      const DATA_DIR = join(yield* temporaryFolder, "not", "there", "yet")
      // Also by processes that start at once.
      const keys = yield* Effect.all(
        Array.from({ length: 20 }, () => ofEnvironment({ DATA_DIR })),
        { concurrency: "unbounded" }
      )
      const file = join(DATA_DIR, "secret-key")
      expect(yield* Effect.promise(() => readdir(DATA_DIR))).toEqual(["secret-key"])
      const kept = yield* Effect.promise(() => readFile(file, "utf8"))
      expect(kept).toMatch(/^[\w-]{64}$/)
      const expected = yield* ofRoot(kept)
      for (const key of keys) expect(key).toEqual(expected)
      expect((yield* Effect.promise(() => stat(file))).mode & 0o777).toBe(0o600)
      expect(yield* ofEnvironment({ DATA_DIR })).toEqual(expected)
    })
  )

  it.scopedLive("a truncated stored key stops the start with one sentence", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* temporaryFolder
      yield* Effect.promise(() => writeFile(join(DATA_DIR, "secret-key"), "short"))
      expect(yield* Effect.exit(ofEnvironment({ DATA_DIR }))).toEqual(
        Exit.fail(
          new storedKey.SecretKeyUnusable({
            message: `The secret key in DATA_DIR (${DATA_DIR}) cannot be used: it holds fewer than 32 characters`
          })
        )
      )
    })
  )
})
