/** Reads request bodies and counts their memory against the sender. */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect } from "effect"
import { CurrentRequest } from "../../shared/current-request.ts"
import { type BodyRejected, bodyAs, HeldBodies, type Taking } from "./body.ts"
import type { Holder } from "./body-budget.ts"

/** The id of the authenticated company. */
export class CallingCompany extends Context.Tag("doorlock/http/CallingCompany")<CallingCompany, string>() {}

/** A KYC session token names no holder: it has not been looked up yet and may be made up. */
const holderOf = (services: Context.Context<never>): Holder => {
  const companyId = Context.getOption(services, CallingCompany)
  if (companyId._tag === "Some") return { companyId: companyId.value }
  return { address: Context.get(services, CurrentRequest).clientAddress() }
}

/** `bodyAs` of the current request, counted against the sender. */
export const heldBodyAs = <A>(
  look: (body: object) => A,
  apart?: Taking["apart"]
): Effect.Effect<A, BodyRejected> =>
  Effect.withFiberRuntime(({ currentContext: services }) => {
    const request = Context.unsafeGet(services, HttpServerRequest.HttpServerRequest)
    const bodies = Context.get(services, HeldBodies)
    return bodyAs(request, look, { begin: (drop) => bodies.begin(holderOf(services), drop), apart })
  })
