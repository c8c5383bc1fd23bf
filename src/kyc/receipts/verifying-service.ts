import { Effect, Schema } from "effect"
import { messageOf } from "../../shared/error.ts"
import { type Receipt, ReceiptInvalid } from "./receipt-model.ts"
import { verify } from "./signature.ts"

const KeySet = Schema.Struct({
  keys: Schema.mutable(
    Schema.Array(
      Schema.mutable(
        Schema.Struct({
          kty: Schema.Literal("OKP"),
          crv: Schema.Literal("Ed25519"),
          x: Schema.String,
          kid: Schema.String
        })
      )
    )
  )
})
const readKeySet = Schema.decodeUnknown(KeySet)

/**
 * Verifies a receipt with published keys, and nothing else. Fails with `ReceiptInvalid`.
 * @param keys the document at `/.well-known/doorlock-receipts.json`
 */
export const verifyReceipt = (text: string, keys: unknown): Effect.Effect<Receipt, ReceiptInvalid> =>
  readKeySet(keys).pipe(
    Effect.mapError(() => new ReceiptInvalid({ message: "The keys are not a set of ed25519 public keys." })),
    Effect.flatMap((set) =>
      Effect.tryPromise({
        try: () => verify(text, set),
        catch: (cause) => new ReceiptInvalid({ message: `The receipt is not valid: ${messageOf(cause)}.` })
      })
    )
  )
