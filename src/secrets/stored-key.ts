import { randomBytes } from "node:crypto"
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Layer, Redacted } from "effect"
import { Config } from "../config.ts"
import { hasCode, messageOf } from "../shared/error.ts"
import { SecretKey } from "./secret-key.ts"

/** The message is a sentence that names the file. */
export class SecretKeyUnusable extends Data.TaggedError("SecretKeyUnusable")<{ readonly message: string }> {}

const readOrMake = async (dataDir: string): Promise<string> => {
  const file = join(dataDir, "secret-key")
  await mkdir(dataDir, { recursive: true })
  const draft = `${file}.${randomBytes(8).toString("hex")}`
  try {
    // A hard link appears complete, and only if there is none: concurrent processes agree on one key.
    await writeFile(draft, randomBytes(48).toString("base64url"), { flag: "wx", mode: 0o600 })
    await link(draft, file)
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
  } finally {
    await rm(draft, { force: true })
  }
  const key = await readFile(file, "utf8")
  if (key.length < 32) throw new Error("it holds fewer than 32 characters")
  return key
}

/** `SECRET_KEY`, or a random key that is generated once and stored in `DATA_DIR`. */
export const root: Effect.Effect<Redacted.Redacted<string>, SecretKeyUnusable, Config> = Effect.gen(
  function* () {
    const { dataDir, role, secretKey } = yield* Config
    if (secretKey !== undefined) return secretKey
    if (role === "gateway") {
      return yield* new SecretKeyUnusable({
        message: "SECRET_KEY must be set for this, although ROLE is gateway"
      })
    }
    const kept = yield* Effect.tryPromise({
      try: () => readOrMake(dataDir),
      catch: (cause) =>
        new SecretKeyUnusable({
          message: `The secret key in DATA_DIR (${dataDir}) cannot be used: ${messageOf(cause)}`
        })
    })
    return Redacted.make(kept)
  }
)

export const layer = Layer.unwrapEffect(
  Effect.zipWith(root, Config, (current, { secretKeyPrevious }) =>
    SecretKey.layer(current, secretKeyPrevious)
  )
)
