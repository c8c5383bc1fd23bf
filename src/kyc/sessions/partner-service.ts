import { Effect, Option } from "effect"
import { openText } from "../../secrets/data-keys.ts"
import { writeCursor } from "../../shared/cursor.ts"
import { decoder } from "../../shared/encoding.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { parseId } from "../../shared/identifier.ts"
import { type Check, CheckContent, checkPlace } from "../checks/model.ts"
import { noSession, type SessionNotFound } from "./errors.ts"
import { SessionKeys } from "./keys-service.ts"
import { endOfRecent, looks, type PageRequest, SessionListRepo } from "./list-repo.ts"
import { assurance, type CheckedSession, type Included, type ListedSession } from "./model.ts"
import { type CheckedRow, type ListedRow, PartnerSessionRepo } from "./partner-repo.ts"

/** The company's own view of its sessions, also after they have expired (contract.md#partner-reads). */
export class PartnerSessions extends Effect.Service<PartnerSessions>()("PartnerSessions", {
  dependencies: [PartnerSessionRepo.Default, SessionListRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* PartnerSessionRepo
    const lists = yield* SessionListRepo
    const keys = yield* SessionKeys
    const decodeContent = decoder(CheckContent)

    const toPartner = <Row extends ListedRow>(found: Row) => {
      const opened = keys.read<Row>(found)
      const {
        captcha_score,
        captcha_verified_at,
        dedup_earlier_completed,
        dedup_seen_count,
        missing_steps,
        review: row,
        ...session
      } = opened
      const shared = { ...session, assurance: assurance(opened) }
      if (row === null) return { ...shared, review: null, next_session_id: null }
      const { next_session_id, ...review } = row
      return { ...shared, review, next_session_id }
    }

    const toListed = (found: ListedRow): ListedSession => {
      const { instance_config, instance_workflow, ...session } = toPartner(found)
      return {
        ...session,
        ...(instance_config === null ? {} : { instance_config }),
        ...(instance_workflow === null ? {} : { instance_workflow })
      }
    }

    /** A session whose data does not open is listed without them, so that the others can be read. */
    const listed = (found: ListedRow): Effect.Effect<ListedSession> =>
      Effect.try(() => toListed(found)).pipe(
        Effect.catchAll(({ error }) =>
          Effect.as(
            Effect.logError("The data of a session does not open; it is listed without them", error).pipe(
              Effect.annotateLogs({ session: found.id })
            ),
            toListed({ ...found, sealed_key: null, sealed_with: null })
          )
        )
      )

    /** Looks a second time, further, if the first look did not fill the page, or if there may be more than it has seen. */
    const lookThrough = Effect.fnUntraced(function* (request: PageRequest) {
      const end = endOfRecent(request)
      const near = yield* lists.find(request, looks.first, end)
      const missing = request.limit - near.page.length
      if (near.next !== undefined ? missing === 0 : end === undefined) return near
      const cursor = near.next === undefined ? end : { createdAt: near.next.created_at, id: near.next.id }
      const far = yield* lists.find({ ...request, cursor, limit: Math.max(missing, 1) })
      if (missing > 0) return { page: [...near.page, ...far.page], next: far.next }
      return { page: near.page, next: (far.page[0] ?? far.next) && near.page.at(-1) }
    })

    /**
     * In the order of creation, or of their references if the filter is a prefix. `next_cursor` is null on the last page only. A page may be
     * short, or even empty, if few sessions match, or if they are large.
     */
    const list = Effect.fnUntraced(function* (
      companyId: string,
      {
        include = [],
        ...query
      }: Omit<PageRequest, "companyId"> & { readonly include?: ReadonlyArray<Included> | undefined }
    ) {
      const instanceId = query.instanceId === undefined ? undefined : parseId(query.instanceId)
      // A malformed instance id is like an unknown one: it has no sessions.
      if (query.instanceId !== undefined && instanceId === undefined) {
        return { sessions: [], next_cursor: null }
      }
      const { next, page } = yield* lookThrough({ ...query, companyId, instanceId })
      const ids = page.map(({ id }) => id)
      const sessions = ids.length === 0 ? [] : yield* repo.load(companyId, ids, include)
      const end = sessions.length < ids.length ? sessions.at(-1) : next
      return {
        sessions: yield* Effect.forEach(sessions, listed),
        next_cursor: end === undefined ? null : writeCursor({ createdAt: end.created_at, id: end.id })
      }
    })

    const checksOf = Effect.fnUntraced(function* ({ checks, company_id, id }: CheckedRow) {
      if (checks.length === 0) return []
      const key = yield* keys.ofCompany(company_id, id)
      // None: it was redacted after the checks were read.
      return Option.match(key, {
        onNone: (): ReadonlyArray<Check> => [],
        onSome: (key) =>
          checks.map(({ content, ...check }) => ({
            ...check,
            ...decodeContent(JSON.parse(openText(key, checkPlace(check.id), content)))
          }))
      })
    })

    const reading = (
      sessionId: string,
      read: (id: string) => Effect.Effect<Option.Option<CheckedRow>>
    ): Effect.Effect<CheckedSession, SessionNotFound> =>
      idOr(sessionId, noSession).pipe(
        Effect.flatMap(read),
        foundOr(noSession),
        Effect.flatMap(({ checks, ...found }) =>
          Effect.map(checksOf({ ...found, checks }), (checks) => ({ ...toPartner(found), checks }))
        )
      )

    /** Fails with `SessionNotFound`, also for a session of another company. */
    const get = (companyId: string, sessionId: string) => reading(sessionId, (id) => repo.find(companyId, id))

    /** A session of any company: only for the operator of the service. */
    const find = (sessionId: string) => reading(sessionId, repo.findOfAny)

    return { list, get, find }
  })
}) {}
