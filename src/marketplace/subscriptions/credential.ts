import { Effect } from "effect"
import type { TooManyRequests } from "../../limits/errors.ts"
import { keyGuesses } from "../../limits/guesses.ts"
import { refusedKeys } from "../../observability/metrics.ts"
import { isWellFormed, notWhole, tokenHashText } from "../../secrets/token.ts"
import { InvalidMarketplaceKey } from "./errors.ts"
import type { VerifiedMarketplaceKey } from "./model.ts"
import { MarketplaceKeyVerification } from "./verification.ts"

/** Shared, because made-up keys come in floods. */
const refused = {
  "key-missing": new InvalidMarketplaceKey({ reason: "key-missing" }),
  "key-malformed": new InvalidMarketplaceKey({ reason: "key-malformed" }),
  "wrong-kind-of-key": new InvalidMarketplaceKey({ reason: "wrong-kind-of-key" })
}

/** Authenticates the marketplace key of a gateway call. */
export class MarketplaceKeyCredential extends Effect.Service<MarketplaceKeyCredential>()(
  "MarketplaceKeyCredential",
  {
    effect: Effect.gen(function* () {
      const verification = yield* MarketplaceKeyVerification
      const guesses = yield* keyGuesses<InvalidMarketplaceKey>("marketplace key", refusedKeys.marketplace)

      return {
        /** The key behind `token` if it is cached, as it is for most calls. */
        remembered: verification.remembered,

        /** The key behind an `x-api-key`. `clientAddress` is read only to limit made-up keys per address. */
        authenticate: (
          token: string | undefined,
          clientAddress: () => string
        ): Effect.Effect<VerifiedMarketplaceKey, InvalidMarketplaceKey | TooManyRequests> => {
          if (token === undefined) return Effect.fail(refused["key-missing"])
          const remembered = verification.remembered(token)
          if (remembered !== undefined) return Effect.succeed(remembered)
          return isWellFormed("dk_live_", token) || isWellFormed("dk_test_", token)
            ? guesses.limiting(clientAddress, tokenHashText(token), verification.lookUp(token))
            : guesses.refusing(clientAddress, refused[notWhole(token, ["dk_live_", "dk_test_"])])
        }
      }
    })
  }
) {}
