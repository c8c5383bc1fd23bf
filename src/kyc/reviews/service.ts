import { Effect, Option } from "effect"
import { type Cursor, writeCursor } from "../../shared/cursor.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { parseId } from "../../shared/identifier.ts"
import { reviewSettings } from "../instances/settings-model.ts"
import { noSession } from "../sessions/errors.ts"
import { stepsToAsk } from "../sessions/restricted-workflow-model.ts"
import type { ReviewChoices, ReviewOptions, ReviewStatus } from "./model.ts"
import { ReviewRepo } from "./repo.ts"

interface ReviewQuery {
  readonly status?: ReviewStatus | undefined
  readonly instanceId?: string | undefined
  readonly reviewer?: string | undefined
  readonly cursor?: Cursor | undefined
  readonly limit: number
}

/** What a company decides on its completed sessions, as it is read (contract.md#reviews). */
export class Reviews extends Effect.Service<Reviews>()("Reviews", {
  dependencies: [ReviewRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ReviewRepo

    /** Waiting reviews, longest waiting first; decided ones, latest first. A malformed id is like an unknown one. */
    const list = Effect.fnUntraced(function* (companyId: string, query: ReviewQuery) {
      const { limit } = query
      const instanceId = query.instanceId === undefined ? undefined : parseId(query.instanceId)
      const reviewer = query.reviewer === "api" ? "api" : parseId(query.reviewer ?? "")
      const isUnknown =
        (query.instanceId !== undefined && instanceId === undefined) ||
        (query.reviewer !== undefined && reviewer === undefined)
      if (isUnknown) return { reviews: [], next_cursor: null }
      const found = yield* repo.list({ ...query, companyId, instanceId, reviewer })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return {
        reviews: page.map(({ review }) => review),
        next_cursor:
          last === undefined ? null : writeCursor({ createdAt: last.orderedAt, id: last.review.session_id })
      }
    })

    const choices = (companyId: string): Effect.Effect<ReviewChoices> =>
      Effect.all(
        { instances: repo.instances(companyId), reviewers: repo.reviewers(companyId) },
        { concurrency: "unbounded" }
      )

    /** Fails with `SessionNotFound`, also for a session of another company. */
    const get = Effect.fnUntraced(function* (companyId: string, sessionId: string) {
      const id = yield* idOr(sessionId, noSession)
      const { config, workflow } = yield* repo.findDocuments(companyId, id).pipe(foundOr(noSession))
      const { fourEyes, reasons } = reviewSettings(config)
      const options: ReviewOptions = {
        four_eyes: fourEyes,
        reasons,
        steps: stepsToAsk(workflow).map(({ id, type }) => ({ id, type }))
      }
      return { review: Option.getOrNull(yield* repo.find(companyId, id)), options }
    })

    return { list, choices, get }
  })
}) {}
