import { Effect } from "effect"
import { operator } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { foundOr } from "../../shared/found.ts"
import { entries } from "./entries-model.ts"
import { ApiNotFound } from "./errors.ts"
import { TakedownRepo } from "./takedown-repo.ts"

const orNotFound = foundOr(() => new ApiNotFound())

/** An API by its address: the slugs of publisher and API. */
interface ApiAddress {
  readonly publisherSlug: string
  readonly slug: string
}

/** Takes APIs off the market, and allows them again. Every process drops the API within a second. */
export class Takedowns extends Effect.Service<Takedowns>()("Takedowns", {
  effect: Effect.gen(function* () {
    const repo = yield* TakedownRepo
    const audit = yield* Audit

    const find = ({ publisherSlug, slug }: ApiAddress) => orNotFound(repo.find(publisherSlug, slug))

    /** Whether anything changed. The publisher sees the reason, and `operatorName` in its audit trail. */
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

    /** Whether anything changed. The API stays a draft until its publisher publishes it. */
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
