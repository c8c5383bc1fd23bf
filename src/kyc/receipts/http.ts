import { Effect, Layer } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { ReceiptKeysApi, ReceiptsApi } from "./api.ts"
import { Receipts } from "./service.ts"

const receipts = group(ReceiptsApi, (handlers) =>
  Effect.zipWith(Receipts, SessionGuesses, ({ issue }, { limiting }) =>
    handlers.handle("issue", ({ path, payload: { token } }) =>
      limiting(issue({ ...path, token })).pipe(Effect.bindTo("receipt"))
    )
  )
)

const keys = group(ReceiptKeysApi, (handlers) =>
  Effect.map(Receipts, ({ keys }) => handlers.handle("list", () => Effect.bindTo(keys, "keys")))
)

export const layer = Layer.merge(receipts, keys)
