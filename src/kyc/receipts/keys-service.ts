import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { transaction } from "../../db/sql.ts"
import { Seal } from "../../secrets/seal.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { newId } from "../../shared/identifier.ts"
import { ReceiptRepo, type SealedKey } from "./repo.ts"
import { newKey, publicKey } from "./signature.ts"

const PrivateKeyText = Schema.parseJson(
  Schema.Struct({
    kty: Schema.Literal("OKP"),
    crv: Schema.Literal("Ed25519"),
    x: Schema.String,
    d: Schema.String
  })
)
const pack = Schema.encodeSync(PrivateKeyText)
const unpack = Schema.decodeSync(PrivateKeyText)

/** The keys that sign receipts: the private parts encrypted where they are stored, the public parts published for ever. */
export class ReceiptKeys extends Effect.Service<ReceiptKeys>()("ReceiptKeys", {
  dependencies: [ReceiptRepo.Default, Seal.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ReceiptRepo
    const { open, seal } = yield* Seal
    const secretKey = yield* SecretKey
    const text = (key: Uint8Array) => Buffer.from(key).toString("base64")
    const own = text(secretKey.derive("receipt-key"))
    const accepted = secretKey.accepted("receipt-key").map(text)

    /** The current key, if this SECRET_KEY or the previous one sealed it. */
    const usable = ({ id, sealed }: SealedKey) =>
      Effect.firstSuccessOf(accepted.map((key) => open("receipt-key", key, sealed, id))).pipe(
        Effect.map((opened) => ({ id, key: unpack(opened) })),
        Effect.option
      )

    /** Puts a new key in the place of this one. Nothing happens if another process has already done so. */
    const replace = (before: Option.Option<SealedKey>) =>
      Effect.gen(function* () {
        const id = newId()
        const key = newKey()
        if (Option.isSome(before)) yield* repo.retire(before.value.id)
        yield* repo.insert({
          id,
          publicKey: Buffer.from(key.x, "base64url"),
          sealed: seal("receipt-key", own, pack(key), id)
        })
      }).pipe(transaction(sql))

    const signing = Effect.gen(function* () {
      const current = yield* repo.current
      const found = yield* Effect.transposeMapOption(current, usable)
      if (Option.isSome(found) && Option.isSome(found.value)) return found.value.value
      yield* replace(current)
      const made = yield* Effect.transposeMapOption(yield* repo.current, usable)
      return yield* Effect.orDie(Option.flatten(made))
    })

    const published = Effect.map(repo.published, (keys) =>
      keys.map(({ id, public_key }) => publicKey(id, Buffer.from(public_key).toString("base64url")))
    )

    return {
      /** The key that signs now. Makes one if there is none, or if none opens with `SECRET_KEY`. */
      signing,
      /** Every key that has ever signed, newest first. */
      published,
      /** From now on another key signs. Earlier receipts stay valid. Returns the id of the new key. */
      rotate: Effect.gen(function* () {
        yield* replace(yield* repo.current)
        return (yield* signing).id
      })
    }
  })
}) {}
