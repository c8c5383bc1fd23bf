import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { bearerToken } from "../../http/runtime/source.ts"
import type { TooManyRequests } from "../../limits/errors.ts"
import { guesses } from "../../limits/guesses.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { SessionNotFound } from "./errors.ts"

/** The token from `Authorization: Bearer`. A missing token fails like a wrong one. */
export const presentedSession = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
  const token = bearerToken(request)
  return token === undefined ? Effect.fail(new SessionNotFound()) : Effect.succeed(token)
})

const isNoSession = (error: unknown): boolean => error instanceof SessionNotFound

/** Limits how many session tokens and handoff links an address may guess (contract.md#protective-limits). */
export class SessionGuesses extends Effect.Service<SessionGuesses>()("SessionGuesses", {
  effect: Effect.map(guesses("session"), ({ limiting }) => ({
    /** `use` looks up a session. Fails with `TooManyRequests` after too many sessions that do not exist. */
    limiting: <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooManyRequests, R> =>
      Effect.flatMap(CurrentRequest, ({ clientAddress }) => limiting(clientAddress, isNoSession, use))
  }))
}) {}
