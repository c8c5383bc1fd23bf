import { Effect, type Option } from "effect"
import { LRUCache } from "lru-cache"
import { nextCursor } from "../../shared/cursor.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { parseId } from "../../shared/identifier.ts"
import { readWorkflow, type Workflow } from "../instances/workflow-model.ts"
import { noSession, type SessionNotFound } from "./errors.ts"
import { assurance, type PartnerSession } from "./model.ts"
import { type PartnerRow, PartnerSessionRepo, type SessionFilter } from "./partner-repo.ts"

/** Cached workflows, of some kilobytes each: parsing one takes longer than all else about a session. */
const capacity = 1_000

/** The company's own view of its sessions, also after they have expired (contract.md#partner-reads). */
export class PartnerSessions extends Effect.Service<PartnerSessions>()("PartnerSessions", {
  dependencies: [PartnerSessionRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* PartnerSessionRepo
    const workflows = new LRUCache<string, Option.Option<Workflow>, PartnerRow>({
      max: capacity,
      memoMethod: (_version, _stale, { context }) => readWorkflow(context.instance_workflow)
    })

    const toPartner = (found: PartnerRow): PartnerSession => {
      const {
        captcha_score,
        captcha_verified_at,
        dedup_seen_count,
        review: row,
        version_id,
        ...session
      } = found
      const shared = {
        ...session,
        assurance: assurance(found, workflows.memo(version_id, { context: found }))
      }
      if (row === null) return { ...shared, review: null, next_session_id: null }
      const { next_session_id, ...review } = row
      return { ...shared, review, next_session_id }
    }

    /** Newest first; `next_cursor` is null on the last page. A page of large sessions may be short. */
    const list = Effect.fnUntraced(function* (companyId: string, query: Omit<SessionFilter, "companyId">) {
      const instanceId = query.instanceId === undefined ? undefined : parseId(query.instanceId)
      // A malformed instance id is like an unknown one: it has no sessions.
      if (query.instanceId !== undefined && instanceId === undefined) {
        return { sessions: [], next_cursor: null }
      }
      const { more, sessions } = yield* repo.list({ ...query, companyId, instanceId })
      return { sessions: sessions.map(toPartner), next_cursor: nextCursor(sessions, more) }
    })

    const reading = (
      sessionId: string,
      read: (id: string) => Effect.Effect<Option.Option<PartnerRow>>
    ): Effect.Effect<PartnerSession, SessionNotFound> =>
      idOr(sessionId, noSession).pipe(Effect.flatMap(read), foundOr(noSession), Effect.map(toPartner))

    /** Fails with `SessionNotFound`, also for a session of another company. */
    const get = (companyId: string, sessionId: string) => reading(sessionId, (id) => repo.find(companyId, id))

    /** A session of any company: only for the operator of the service. */
    const find = (sessionId: string) => reading(sessionId, repo.findOfAny)

    return { list, get, find }
  })
}) {}
