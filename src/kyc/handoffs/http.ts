import { Effect, Layer } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { header } from "../../http/runtime/source.ts"
import { ok } from "../../shared/schemas.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { HandoffLinksApi, HandoffsApi } from "./api.ts"
import { Handoffs } from "./service.ts"

const first = group(HandoffsApi, (handlers) =>
  Effect.zipWith(Handoffs, SessionGuesses, (handoffs, { limiting }) =>
    handlers
      .handle("create", ({ path, payload: { carry = {}, token } }) =>
        limiting(handoffs.create({ ...path, token }, carry))
      )
      .handle("follow", ({ path: { handoffId, sessionId }, urlParams: { token } }) =>
        limiting(handoffs.follow({ sessionId, token }, handoffId)).pipe(Effect.bindTo("handoff"))
      )
      .handle("cancel", ({ path: { handoffId, sessionId }, payload: { token } }) =>
        limiting(handoffs.cancel({ sessionId, token }, handoffId)).pipe(Effect.as(ok))
      )
  )
)

const second = group(HandoffLinksApi, (handlers) =>
  Effect.zipWith(Handoffs, SessionGuesses, (handoffs, { limiting }) =>
    handlers
      .handle("inspect", ({ path, payload }) => limiting(handoffs.inspect({ ...path, ...payload })))
      .handle("claim", ({ path, payload: { receipt, secret }, request }) =>
        limiting(handoffs.claim({ ...path, secret }, receipt, header(request, "user-agent"))).pipe(
          Effect.bindTo("handoff")
        )
      )
      .handle("confirm", ({ path, payload: { code, receipt, secret } }) =>
        limiting(handoffs.confirm({ ...path, secret }, receipt, code))
      )
  )
)

export const layer = Layer.mergeAll(first, second)
