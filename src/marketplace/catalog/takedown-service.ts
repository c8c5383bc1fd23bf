import { Effect } from "effect"
import { operator } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { foundOr } from "../../found.ts"
import { entries } from "./entries-model.ts"
import { ApiNotFound } from "./errors.ts"
import { TakedownRepo } from "./takedown-repo.ts"

const orNotFound = foundOr(() => new ApiNotFound())

/** An API by its address: the slugs of publisher and API. */
interface ApiAddress {
  readonly publisherSlug: string
  readonly slug: string
}

/**
 * The operator takes APIs off the market, and allows them again. As with an API that its publisher unpublishes, every process is notified:
 * catalog, descriptions and gateway drop the API within a second.
 */
export class Takedowns extends Effect.Service<Takedowns>()("Takedowns", {
  effect: Effect.gen(function* () {
    const repo = yield* TakedownRepo
    const audit = yield* Audit

    const find = ({ publisherSlug, slug }: ApiAddress) => orNotFound(repo.find(publisherSlug, slug))

    /**
     * Makes the API a draft that its publisher cannot publish until it is allowed again. Its subscriptions remain. The publisher sees the
     * reason. Returns whether that changed anything.
     *
     * @param operatorName the operator, as named in the publisher's audit trail
     */
    const takeDown = Effect.fnUntraced(function* (operatorName: string, address: ApiAddress, reason: string) {
      const { company_id, id } = yield* find(address)
      const { changed } = yield* repo.takeDown(id, reason).pipe(
        orNotFound,
        audit.recording(operator(company_id, operatorName), (done) =>
          entries.takenDown({ ...done, id, reason })
        )
      )
      return changed
    })

    /** Lets the publisher publish the API again; until then it stays a draft. Returns whether that changed anything. */
    const allow = Effect.fnUntraced(function* (operatorName: string, address: ApiAddress) {
      const { company_id, id } = yield* find(address)
      const { changed } = yield* repo.allow(id).pipe(
        orNotFound,
        audit.recording(operator(company_id, operatorName), (done) => entries.allowed({ ...done, id }))
      )
      return changed
    })

    return {
      /** The APIs of all companies, or of one, including drafts. */
      list: repo.list,
      takeDown,
      allow
    }
  })
}) {}
