import { timingSafeEqual } from "node:crypto"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Redacted } from "effect"
import { Config } from "../config.ts"
import { bearerToken } from "../http/runtime/source.ts"
import { sha256 } from "../secrets/digest.ts"
import { CurrentRequest } from "../shared/current-request.ts"
import { isNear } from "../shared/ip-address.ts"
import { MetricsHidden } from "./errors.ts"

/** Admits `METRICS_TOKEN`; if not set, direct connections from this machine or a private network. */
export class MetricsReader extends Effect.Service<MetricsReader>()("MetricsReader", {
  effect: Effect.map(Config, ({ metricsToken }) => {
    const expected = metricsToken === undefined ? undefined : sha256(Redacted.value(metricsToken))
    return {
      /** Fails with `MetricsHidden`. */
      authenticate: Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (expected !== undefined) {
          // Hashes, because timingSafeEqual needs equal lengths.
          if (timingSafeEqual(sha256(bearerToken(request) ?? ""), expected)) return
        } else {
          const { clientAddress, isDirect } = yield* CurrentRequest
          if (isDirect() && isNear(clientAddress())) return
        }
        return yield* new MetricsHidden()
      })
    }
  })
}) {}
