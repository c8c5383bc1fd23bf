import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServer from "@effect/platform/HttpServer"
import * as OpenApi from "@effect/platform/OpenApi"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { Context, Effect, Layer, Schema } from "effect"
import * as Docs from "../../../src/pages/docs.ts"

/** Two operations are enough, because the page only displays the contract. */
const Doors = HttpApiGroup.make("doors")
  .add(HttpApiEndpoint.get("list", "/doors").addSuccess(Schema.Array(Schema.String)))
  .add(
    HttpApiEndpoint.post("open", "/doors/:id/open")
      .setPath(Schema.Struct({ id: Schema.String }))
      .setPayload(Schema.Struct({ key: Schema.String }))
      .addSuccess(HttpApiSchema.NoContent)
  )

// A server address with another origin, as behind a proxy. The page must still use the server that it came
// from.
const Api = HttpApi.make("house")
  .add(Doors)
  .annotate(OpenApi.Servers, [{ url: "https://doors.test" }])

const doors = HttpApiBuilder.group(Api, "doors", (handlers) =>
  handlers.handle("list", () => Effect.succeed(["front", "back"])).handle("open", () => Effect.void)
)

/**
 * A running server with little more than the docs page; returns its origin, such as `http://127.0.0.1:41234`.
 */
export class DocsServer extends Context.Tag("test/DocsServer")<DocsServer, string>() {}

export const layer = Layer.effect(
  DocsServer,
  Effect.map(HttpServer.HttpServer, ({ address }) =>
    address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : address.path
  )
).pipe(
  Layer.provide(HttpApiBuilder.serve()),
  Layer.provide(HttpApiBuilder.middlewareOpenApi()),
  Layer.provide(Docs.layer),
  Layer.provide(Layer.provide(HttpApiBuilder.api(Api), doors)),
  Layer.provide(BunHttpServer.layer({ port: 0, hostname: "127.0.0.1" }))
)
