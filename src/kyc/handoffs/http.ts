import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../api.ts"
import { group } from "../../http/handlers.ts"
import { ok } from "../../model.ts"
import { Handoffs } from "./service.ts"

const first = group(Api, "kyc-handoffs", (handlers) =>
  Effect.map(Handoffs, (handoffs) =>
    handlers
      .handle("create", ({ path, payload: { carry = {}, token } }) =>
        handoffs.create({ ...path, token }, carry)
      )
      .handle("follow", ({ path: { handoffId, sessionId }, urlParams: { token } }) =>
        Effect.map(handoffs.follow({ sessionId, token }, handoffId), (handoff) => ({ handoff }))
      )
      .handle("cancel", ({ path: { handoffId, sessionId }, payload: { token } }) =>
        Effect.as(handoffs.cancel({ sessionId, token }, handoffId), ok)
      )
  )
)

const second = group(Api, "kyc-handoff-links", (handlers) =>
  Effect.map(Handoffs, (handoffs) =>
    handlers
      .handle("inspect", ({ path, payload }) => handoffs.inspect({ ...path, ...payload }))
      .handle("claim", ({ path, payload: { receipt, secret }, request }) =>
        Effect.map(
          handoffs.claim({ ...path, secret }, receipt, request.headers["user-agent"]),
          (handoff) => ({ handoff })
        )
      )
      .handle("confirm", ({ path, payload: { code, receipt, secret } }) =>
        handoffs.confirm({ ...path, secret }, receipt, code)
      )
  )
)

/** The routes of `HandoffsApi` and `HandoffLinksApi`. */
export const layer = Layer.mergeAll(first, second)
