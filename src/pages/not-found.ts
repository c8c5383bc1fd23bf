/**
 * What a person sees at an address that does not exist (contract.md#unknown-paths). Programs get JSON, as do all requests below `/api/`,
 * because some HTTP libraries ask for HTML by default.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import type { Config } from "../config.ts"
import { unrouted } from "../http/runtime/reject.ts"
import { header } from "../http/runtime/source.ts"
import { unknownPage } from "./front.ts"
import { brokenLink } from "./kyc.ts"

/** Names `text/html`, as browsers do, and not with a weight of 0. */
const acceptsHtml = (accept: string): boolean =>
  accept
    .split(",")
    .some((part) => /^\s*text\/html\s*(?:;|$)/i.test(part) && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(part))

/** 404, as a page or as JSON. */
export const notFound = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
  const { url } = request
  if (url.startsWith("/api/") || !acceptsHtml(header(request, "accept") ?? ""))
    return Effect.succeed(unrouted([]))
  return /^\/kyc(?:[/?]|$)/.test(url) ? brokenLink : unknownPage
})

export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.flatMap(Effect.context<Config>(), (context) => router.get("*", Effect.provide(notFound, context)))
)
