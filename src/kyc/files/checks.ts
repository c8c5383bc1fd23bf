import { randomBytes } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { type Finding, failed, reason, well } from "../../cli/check.ts"
import type { CaptchaSource, S3Settings } from "../../config.ts"
import { sharedCounts } from "../../marketplace/limits/redis.ts"
import { newId } from "../../secrets/identifier.ts"
import { countKeys } from "../captcha/key-set.ts"
import * as s3Store from "./s3-store.ts"
import { FileStore, StoreFailed } from "./store.ts"

/** Whose tokens are accepted, and whether that can be decided. */
export const captcha = (source: CaptchaSource): Effect.Effect<Finding> => {
  switch (source._tag) {
    case "BuiltIn":
      return Effect.succeed(well("The built-in captcha is used."))
    case "SharedSecret":
      return Effect.succeed(well("Tokens are told by CAPTCHA_JWT_SECRET."))
    case "KeySet": {
      const where = `${source.url.origin}${source.url.pathname}`
      const advice =
        "Until the keys can be had, no captcha passes: look at CAPTCHA_JWKS_URL and the service behind it."
      return countKeys(source.url).pipe(
        Effect.map((keys) =>
          keys === 0
            ? failed(`There are no keys at CAPTCHA_JWKS_URL ${where}.`, advice)
            : well(`CAPTCHA_JWKS_URL ${where} has ${keys === 1 ? "a key" : `${keys} keys`}.`)
        ),
        Effect.catchAll((error) =>
          Effect.succeed(failed(`CAPTCHA_JWKS_URL ${where} gives no keys: ${reason(error)}.`, advice))
        )
      )
    }
  }
}

/** Whether Redis answers and lets us write, as the limits of plans need it. */
export const redis = (url: Redacted.Redacted): Effect.Effect<Finding> =>
  Effect.scoped(
    Effect.map(sharedCounts(url), ({ isUp }) =>
      isUp()
        ? well("Redis answers and can be written.")
        : failed(
            "Redis at REDIS_URL does not answer, or does not let doorlock write.",
            "Until it does, each process counts the limits of plans by itself: look at REDIS_URL and the server."
          )
    )
  )

/** How long a bucket may take. */
const bucketTimeout = "10 seconds"

/** Whether a small file can be written to the bucket, read and removed again. */
export const bucket = (settings: S3Settings): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const store = yield* FileStore
    const content = randomBytes(32).toString("hex")
    const path = join(tmpdir(), `doorlock-doctor-${content.slice(0, 16)}`)
    const id = newId()
    yield* Effect.promise(() => writeFile(path, content, { flag: "wx", mode: 0o600 }))
    const read = yield* store.put(id, path).pipe(
      Effect.zipRight(store.get(id)),
      Effect.flatMap((stream) => Effect.promise(() => new Response(stream).text())),
      Effect.ensuring(Effect.promise(() => rm(path, { force: true }))),
      Effect.tap(() => store.remove(id))
    )
    return read === content
      ? well(`The bucket ${settings.bucket} can be written and read.`)
      : yield* new StoreFailed({ message: "it gives back something else", cause: undefined })
  }).pipe(
    Effect.timeoutFail({
      duration: bucketTimeout,
      onTimeout: () => new StoreFailed({ message: "it does not answer", cause: undefined })
    }),
    Effect.catchAll((error) =>
      Effect.succeed(
        failed(
          `The bucket ${settings.bucket} at ${settings.endpoint} cannot be used: ${reason(error)}.`,
          "Look at the S3_ variables and at what the credentials may do."
        )
      )
    ),
    Effect.provide(s3Store.layer(settings))
  )
