import { Effect } from "effect"
import { type AuditEntry, operator } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { foundOr } from "../../shared/found.ts"
import { ApiNotFound } from "./errors.ts"
import { TakedownRepo } from "./takedown-repo.ts"

const orNotFound = foundOr(() => new ApiNotFound())

/** An API by its address: the slugs of publisher and API. */
interface ApiAddress {
  readonly publisherSlug: string
  readonly slug: string
}

/** Takes APIs down, and allows them again. Every process drops the API within a second. */
export class Takedowns extends Effect.Service<Takedowns>()("Takedowns", {
  effect: Effect.gen(function* () {
    const repo = yield* TakedownRepo
    const audit = yield* Audit

    /** Whether anything changed. The audit trail of the API's company names the operator. */
    const change = Effect.fnUntraced(function* (
      operatorName: string,
      { publisherSlug, slug }: ApiAddress,
      act: typeof repo.allow,
      event: Pick<AuditEntry, "action" | "details">
    ) {
      const { company_id, id } = yield* orNotFound(repo.find(publisherSlug, slug))
      const { changed } = yield* act(id).pipe(
        orNotFound,
        audit.recording(operator(company_id, operatorName), ({ changed, name }) =>
          changed ? [{ ...event, id, name }] : []
        )
      )
      return changed
    })

    return {
      /** The APIs of all companies, or of one, including drafts. */
      list: repo.list,

      /** The publisher sees the reason. */
      takeDown: (operatorName: string, address: ApiAddress, reason: string) =>
        change(operatorName, address, (id) => repo.takeDown(id, reason), {
          action: "api.taken_down",
          details: { reason }
        }),

      /** The API stays a draft until its publisher publishes it. */
      allow: (operatorName: string, address: ApiAddress) =>
        change(operatorName, address, repo.allow, { action: "api.allowed" })
    }
  })
}) {}
