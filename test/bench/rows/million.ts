/**
 * The same reads with a million sessions and a hundred thousand keys stored, against a hundred of each. `SESSIONS` sets another number of
 * sessions; of ten of the host's, almost four wait for a review.
 */
import { Effect } from "effect"
import { demoInstance } from "../../../src/kyc/instances/demo.ts"
import { writeCursor } from "../../../src/shared/cursor.ts"
import { fill } from "../../fill/fill.ts"
import type { Sizes } from "../../fill/scale.ts"
import { testKey } from "../../support/audit/audited.ts"
import { createInstance, createKey, signUp } from "../../support/client.ts"
import { execute } from "../../support/postgres.ts"
import type { Call, Request } from "../load.ts"
import { doorlock, postgres, type Server } from "../servers.ts"
import { compare } from "../table.ts"

const goal = 0.95

const large: Sizes = {
  sessions: Number(process.env.SESSIONS ?? 1_000_000),
  keys: 100_000,
  companies: 1_000
}
const small: Sizes = { sessions: 100, keys: 100, companies: 10 }

/** doorlock with that much data, and the calls to measure. */
const stored = (sizes: Sizes) =>
  Effect.gen(function* () {
    const databaseUrl = yield* postgres
    const service = { ...(yield* doorlock(databaseUrl, { SECRET_KEY: testKey })), databaseUrl }
    const member = yield* signUp(service)
    const key = { "x-api-key": (yield* createKey(service, member)).token }
    yield* createInstance(service, member, demoInstance)
    const { keys, sessions } = yield* fill(service.databaseUrl, member.companyId, sizes)
    const [middle] = yield* execute(
      service.databaseUrl,
      "select id, created_at from kyc_sessions where company_id = $1 order by created_at desc, id desc offset $2 limit 1",
      [member.companyId, sizes.sessions * 0.45]
    )
    const cursor =
      middle?.created_at instanceof Date &&
      writeCursor({ createdAt: middle.created_at, id: String(middle.id) })
    const [inQueue] = yield* execute(
      service.databaseUrl,
      `select session_id, ordered_at, count(*) over ()::int as count from kyc_reviews
       where company_id = $1 and status <> 'decided' order by ordered_at, session_id offset $2 limit 1`,
      [member.companyId, Math.floor(sizes.sessions * 0.17)]
    )
    const later =
      inQueue?.ordered_at instanceof Date &&
      writeCursor({ createdAt: inQueue.ordered_at, id: String(inQueue.session_id) })
    const server: Server = service
    const get = (path: string): [Server, Call] => [
      server,
      { url: `${service.url}/api/kyc/${path}`, headers: key }
    ]
    const inTurn = (each: ReadonlyArray<Request>): [Server, Call] => [server, { url: service.url, each }]
    return {
      read: inTurn(
        sessions.map(({ id, token }) => ({ path: `/api/kyc/public/sessions/${id}?token=${token}` }))
      ),
      // Of one status, so that pages have the same size whatever else is stored.
      first: get("sessions?status=completed"),
      deep: get(`sessions?status=completed&cursor=${cursor}`),
      waiting: Number(inQueue?.count),
      queue: get("reviews?limit=10"),
      later: get(`reviews?limit=10&cursor=${later}`),
      // As many as the warm-up gets through.
      verified: inTurn(
        keys.slice(0, 15_000).map(({ sessionId, token }) => ({
          path: `/api/kyc/sessions/${sessionId}`,
          headers: { "x-api-key": token }
        }))
      )
    }
  })

export const million = Effect.gen(function* () {
  const many = yield* stored(large)
  const few = yield* stored(small)
  const against = "100 of each"
  yield* compare(
    `${large.sessions} sessions, ${large.keys} keys: read a session by its token`,
    against,
    goal,
    many.read,
    few.read
  )
  yield* compare("list a company's completed sessions, the first page", against, goal, many.first, few.first)
  yield* compare("list them, a page in the middle", against, goal, many.deep, few.deep)
  const queue = `the queue of ${many.waiting} waiting reviews`
  yield* compare(`${queue}, its first ten`, against, goal, many.queue, few.queue)
  yield* compare(`${queue}, ten in the middle`, against, goal, many.later, few.later)
  yield* compare("read a session with a key, 15,000 in turn", against, goal, many.verified, few.verified)
})
