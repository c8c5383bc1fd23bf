/** Bodies of requests as handlers take them: held on the account of whoever sends them. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { CurrentRequest } from "../../shared/current-request.ts"
import { type BodyRejected, bodyAs, HeldBodies, type Taking } from "./body.ts"
import type { Holder } from "./body-budget.ts"

/** The id of the company whose credential a guard has taken. */
export class CallingCompany extends Context.Tag("doorlock/http/CallingCompany")<CallingCompany, string>() {}

/** Whom a request's body is held for. A token of a KYC session has not been looked up by then: it may be made up. */
const holderOf = (services: Context.Context<never>): Holder => {
  const companyId = Context.getOption(services, CallingCompany)
  if (companyId._tag === "Some") return { companyId: companyId.value }
  return { address: Context.get(services, CurrentRequest).clientAddress() }
}

/** What `look` makes of the body of the request that is handled, which is held for whoever sends it. See `bodyAs`. */
export const heldBodyAs = <A>(
  look: (body: object) => A,
  apart?: Taking["apart"]
): Effect.Effect<A, BodyRejected> =>
  Effect.withFiberRuntime(({ currentContext: services }) => {
    const request = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
    const bodies = Context.get(services, HeldBodies)
    return bodyAs(request, look, { begin: (drop) => bodies.begin(holderOf(services), drop), apart })
  })
