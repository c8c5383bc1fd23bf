import { Effect, Layer } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { header } from "../../http/runtime/source.ts"
import { ok } from "../../model.ts"
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
        Effect.map(limiting(handoffs.follow({ sessionId, token }, handoffId)), (handoff) => ({ handoff }))
      )
      .handle("cancel", ({ path: { handoffId, sessionId }, payload: { token } }) =>
        Effect.as(limiting(handoffs.cancel({ sessionId, token }, handoffId)), ok)
      )
  )
)

const second = group(HandoffLinksApi, (handlers) =>
  Effect.zipWith(Handoffs, SessionGuesses, (handoffs, { limiting }) =>
    handlers
      .handle("inspect", ({ path, payload }) => limiting(handoffs.inspect({ ...path, ...payload })))
      .handle("claim", ({ path, payload: { receipt, secret }, request }) =>
        Effect.map(
          limiting(handoffs.claim({ ...path, secret }, receipt, header(request, "user-agent"))),
          (handoff) => ({ handoff })
        )
      )
      .handle("confirm", ({ path, payload: { code, receipt, secret } }) =>
        limiting(handoffs.confirm({ ...path, secret }, receipt, code))
      )
  )
)

/** The routes of `HandoffsApi` and `HandoffLinksApi`. */
export const layer = Layer.mergeAll(first, second)
