/** A version whose document is large is answered like one with a small document. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { unstorableJson } from "../../../src/http/contract/fields.ts"
import { largeBytes } from "../../../src/http/runtime/large-bodies.ts"
import { send } from "../../support/client.ts"
import {
  marketplace,
  openapi,
  publisherOn,
  type TestPublisher,
  upstreamUrl
} from "../../support/marketplace/publisher.ts"
import { TestServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

suite(TestServer.layer)("a version with a large document", (it) => {
  const large = "x".repeat(2 * largeBytes)
  const add = (publisher: TestPublisher, id: string, body: string) =>
    Effect.map(
      send(publisher.server, "POST", `${marketplace}/apis/${id}/versions`, {
        headers: { cookie: publisher.member.cookie, "content-type": "application/json" },
        body
      }),
      ({ body, status }) => [status, Object(body).error]
    )
  const written = (more: object) => JSON.stringify({ version: "1", upstreamUrl, ...more })

  it.effect("is answered like one with a small document", () =>
    Effect.gen(function* () {
      const publisher = yield* publisherOn(yield* TestServer)
      const api = yield* publisher.newApi()
      const refused = (error: string) => [400, error]
      const unstorable = refused(unstorableJson("openapi"))
      for (const [body, answer] of [
        [written({ openapi: openapi({}, { "x-a": "\u0000", "x-large": large }) }), unstorable],
        [written({ openapi: { large } }), refused("openapi must be an OpenAPI 3.0 or 3.1 document")],
        [written({ openapi: [large] }), refused("openapi must be an object")],
        [written({ openapi: large }), refused("openapi must be an object")],
        [
          written({ version: large, openapi: openapi({}) }),
          refused(
            "version must be 1 to 64 letters, digits, dots and hyphens, with a letter or digit at each end"
          )
        ],
        [written({ version: undefined, openapi: { large } }), refused("version is required")],
        [`{"version":${nested(50_000)},"openapi":{}}`, refused("version is required")],
        [`${written({ openapi: { large } })}}`, refused("Request body must be a JSON object")],
        [written({ unknown: large, openapi: null }), [201, undefined]],
        [written({ version: "2", openapi: openapi({}, { "x-large": large }) }), [201, undefined]]
      ] as const) {
        expect(yield* add(publisher, api.id, body)).toEqual(answer)
      }
    })
  )
})
