import { randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { keyOwner, sealMetadata, sealProgress, sealResult } from "../../src/kyc/sessions/sealing-model.ts"
import { encrypt } from "../../src/secrets/aes-gcm.ts"
import { DataKeys } from "../../src/secrets/data-keys.ts"
import { SecretKey } from "../../src/secrets/secret-key.ts"
import { testKey } from "../support/audit/audited.ts"

/** How many keys one statement stores. */
const atOnce = 20_000

const secretKey = SecretKey.layer(Redacted.make(testKey))

/** The keys of sessions, as a service with `testKey` would store them. All are the same key, so what it has sealed opens in each session. */
export const sessionKeys = Effect.gen(function* () {
  const sealing = (yield* SecretKey).derive("data-keys")
  const { sealedWith } = yield* DataKeys
  const key = randomBytes(32)

  /** What an end user who has come to the end has answered, and what the partner gave. */
  const sealed = {
    progress: sealProgress(key, {
      s_consent: { accepted: ["privacy"], version: "2026-11" },
      s_captcha: { done: true },
      s_person: {
        givenName: "Ada 500000",
        familyName: "Lovelace",
        dateOfBirth: "1990-12-10",
        nationality: "EE",
        occupation: "employed"
      },
      s_document: { type: "passport", country: "EE", front: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13" }
    }),
    result: sealResult(key, { outcome: "submitted" }),
    metadata: sealMetadata(key, { plan: "gold", campaign: 50 })
  }

  /** Stores the keys of all sessions. */
  const store = <E>(
    run: (
      text: string,
      values?: ReadonlyArray<unknown>
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<Record<string, string | null>> }, E>
  ) =>
    Effect.iterate("00000000-0000-0000-0000-000000000000" as string | undefined, {
      while: (after) => after !== undefined,
      body: (after) =>
        Effect.gen(function* () {
          const { rows } = yield* run(
            "select id, company_id from kyc_sessions where id > $1 order by id limit $2",
            [after, atOnce]
          )
          yield* run(
            `insert into kyc_session_keys (session_id, sealed_key, sealed_with)
             select id, decode(key, 'hex'), $3 from unnest($1::uuid[], $2::text[]) as given (id, key)`,
            [
              rows.map(({ id }) => id),
              rows.map(({ company_id, id }) =>
                encrypt(sealing, key, keyOwner(String(company_id), String(id))).toString("hex")
              ),
              sealedWith
            ]
          )
          return rows.at(-1)?.id ?? undefined
        })
    })

  return { sealed, store }
}).pipe(Effect.provide(Layer.provideMerge(DataKeys.Default, secretKey)))
