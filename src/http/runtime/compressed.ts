import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { codingFor, leastBytes, packAnswer, refusesIdentity } from "./coding.ts"
import { header } from "./source.ts"

/** Fastest first. */
const quickCodings = ["zstd", "br", "gzip"] as const

const field = "Accept-Encoding"

const variesAlready = (vary: string | undefined): boolean =>
  vary?.split(",").some((name) => ["*", field.toLowerCase()].includes(name.trim().toLowerCase())) ?? false

/** Compresses a 200 response without secrets, unless it is short or varies by `Accept-Encoding`. */
export const compressed = (
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const { body, headers, status } = response
    const { vary } = headers
    if (status !== 200 || body._tag !== "Uint8Array" || variesAlready(vary)) return Effect.succeed(response)
    const varying = HttpServerResponse.setHeader(
      response,
      "vary",
      vary === undefined ? field : `${vary}, ${field}`
    )
    const accepted = header(request, "accept-encoding")
    if (accepted === undefined || (body.body.length < leastBytes && !refusesIdentity(accepted))) {
      return Effect.succeed(varying)
    }
    const coding = codingFor(accepted, quickCodings)
    if (coding === undefined) return Effect.succeed(varying)
    return Effect.map(packAnswer(body.body, coding), (packed) =>
      HttpServerResponse.setHeader(
        HttpServerResponse.setBody(varying, HttpBody.uint8Array(packed, body.contentType)),
        "content-encoding",
        coding
      )
    )
  })
