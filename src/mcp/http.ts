import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer, Runtime } from "effect"
import { DashboardCredential } from "../accounts/credential.ts"
import { Config } from "../config.ts"
import { errorHeader } from "../http/contract/error-code.ts"
import { group } from "../http/runtime/handlers.ts"
import { InnerCalls } from "../http/runtime/inner-calls.ts"
import { sourceOf } from "../http/runtime/source.ts"
import { PlatformKeyCredential } from "../keys/credential.ts"
import { CurrentRequest } from "../shared/current-request.ts"
import { McpApi, messageRefused } from "./api.ts"
import {
  ContractTools,
  isOffered,
  refusedArguments,
  refusedWithout,
  requestOf,
  resultOf
} from "./contract-tools.ts"
import { placesIn, surviving } from "./faults.ts"
import { Agent, CallingKey } from "./guards.ts"
import { existing } from "./tools-model.ts"

/**
 * What an inner call has of the caller's request: the credential, and what the audit trail stores. Beside a key, the token of a user is not
 * passed on: it may be of another company.
 */
const forwarded = (headers: Headers) =>
  [headers.has("x-api-key") ? "x-api-key" : "authorization", "user-agent"] as const

const partOf = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    forwarded(headers).flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    })
  )

/** A bug in a tool. Its message may have the caller's data, so only the places in the code are logged. */
const logged = (tool: string, error: unknown, requestId: string) =>
  Effect.annotateLogs(Effect.logError(`Tool failed: ${placesIn(error)}`), { requestId, tool })

export const layer = group(McpApi, (handlers) =>
  Effect.map(Effect.all([Config, ContractTools]), ([{ mcpReviewDecisions }, allTools]) =>
    handlers.handle("send", ({ payload, request }) =>
      Effect.gen(function* () {
        const { scopes } = yield* CallingKey
        const from = yield* CurrentRequest
        const { send } = yield* InnerCalls
        const { headers } = sourceOf(request)
        const tools = existing(mcpReviewDecisions)
        const runFork = Runtime.runFork(yield* Effect.runtime())
        const toolbox = surviving(
          {
            list: async () =>
              tools
                .flatMap((name) => allTools().get(name) ?? [])
                .filter((tool) => isOffered(tool, scopes))
                .map(({ described }) => described),
            call: async (name, given) => {
              const tool = tools.includes(name) ? allTools().get(name) : undefined
              if (tool === undefined) return undefined
              const { scope } = tool
              if (scope !== undefined && !isOffered(tool, scopes)) return refusedWithout(scope)
              const asked = requestOf(tool, given, partOf(headers))
              return typeof asked === "string" ? refusedArguments(asked) : resultOf(await send(asked, from))
            }
          },
          (tool, error) => runFork(logged(tool, error, from.id))
        )
        const answered = yield* Effect.promise(async () => {
          const { answerTo } = await import("./protocol.ts")
          const response = await answerTo(headers, payload, toolbox)
          return { status: response.status, body: await response.text() }
        })
        const { body, status } = answered
        if (body === "") return HttpServerResponse.empty({ status })
        return HttpServerResponse.text(body, {
          status,
          contentType: "application/json",
          headers: status < 400 ? {} : { [errorHeader]: messageRefused.code }
        })
      })
    )
  )
)

/** The guard's implementation: a platform key, and no page of another site. */
export const credentials = Layer.effect(
  Agent,
  Effect.zipWith(PlatformKeyCredential, DashboardCredential, ({ identify }, { refuseOtherSites }) =>
    Effect.zipRight(refuseOtherSites, identify)
  )
).pipe(Layer.provide(Layer.merge(PlatformKeyCredential.Default, DashboardCredential.Default)))
