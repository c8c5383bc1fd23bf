/** Every route must declare who may call it: by a guard, or by itself. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { Config } from "../../src/config.ts"
import { guard } from "../../src/http/contract/guard.ts"
import { route as declare, routeGroup } from "../../src/http/contract/routes.ts"
import { DirectRoutes } from "../../src/http/runtime/direct.ts"
import { Lifecycle } from "../../src/http/runtime/lifecycle.ts"
import * as serve from "../../src/http/runtime/serve.ts"
import { AccessLogger } from "../../src/observability/access-log.ts"
import * as logging from "../../src/observability/logging.ts"
import { Ok } from "../../src/shared/schemas.ts"
import { forTests } from "../support/server.ts"

class Silent extends HttpApiMiddleware.Tag<Silent>()("Silent") {}

class Outspoken extends guard(HttpApiMiddleware.Tag<Outspoken>()("Outspoken"), {
  credentials: [{ badge: { type: "http", scheme: "bearer", description: "A badge." } }],
  who: "For whoever has a badge."
}) {}

const route = declare("one", "GET /one", { summary: "", success: Ok, unexpected: "no" })

const about = { title: "", description: "", examples: { one: { response: { ok: true } } } }

/** A server with only this route: it listens on a free port, or fails to start. */
const start = (only: HttpApiEndpoint.HttpApiEndpoint.Any & { readonly name: "one" }) =>
  Layer.build(
    serve.layer.pipe(
      Layer.provide(
        Layer.succeed(HttpApi.Api, {
          // The cast: nobody calls the route, so that what it needs is not there.
          api: HttpApi.make("api").add(routeGroup("group", about, only)) as never,
          context: Context.empty()
        })
      ),
      Layer.provide(Layer.mergeAll(HttpApiBuilder.Router.Live, AccessLogger.layer, Lifecycle.layer)),
      Layer.provide(Layer.succeed(DirectRoutes, [])),
      Layer.provide(logging.layer),
      Layer.provide(Config.layer({ PORT: "0", HOST: "127.0.0.1", LOG_LEVEL: "none" })),
      Layer.provide(forTests)
    )
  ).pipe(Effect.scoped, Effect.exit)

describe("a server", () => {
  it.live("starts with a route behind a guard", () =>
    Effect.map(start(route.middleware(Outspoken)), (exit) => expect(Exit.isSuccess(exit)).toBe(true))
  )

  it.live.each([
    {
      name: "behind middleware that does not say whom it lets in",
      silent: route.middleware(Outspoken).middleware(Silent),
      sentence: "GET /one: Silent has to say whom it lets in, by `guard`"
    },
    {
      name: "of which nobody says who may call it",
      silent: route,
      sentence: "GET /one: has to say who may call, by its middleware or by itself"
    }
  ])("does not start with a route $name", ({ sentence, silent }) =>
    Effect.map(start(silent), (exit) =>
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(sentence)
    )
  )
})
