/**
 * Sessions that were abandoned stay `created` or `running` for ever. Lists that leave them out, or have them alone, read no more of the
 * table the more there are.
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../support/database.ts"
import { companyOn } from "../../support/kyc/partner.ts"
import { idAt } from "../../support/kyc/session-ids.ts"
import { execute } from "../../support/postgres.ts"
import { startServerOn } from "../../support/server.ts"
import { explaining } from "./explained.ts"
import { fault } from "./judge.ts"

/**
 * The most that a statement may read. It looks through 1,000 sessions. Where hardly more than these are left, Postgres may read all of them
 * and sort them, which is faster than the index.
 */
const most = 5_000

/** More than that, of those that it does not answer. */
const many = 11_000

it.scopedLive("a list filtered by `expired` reads few of the sessions that it leaves out", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const { statements, url } = yield* explaining(database)
    const server = yield* startServerOn(url)
    // Of the one nearly all were abandoned, of the other hardly any: what is usual for all says nothing of either.
    const [abandoned, busy] = [yield* companyOn(server), yield* companyOn(server)]
    const add = (company: typeof busy, count: number, status: string, expires: string, days: number) =>
      execute(
        database,
        `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, status, token_hash, expires_at, created_at)
        select ${idAt("at")}, i.id, i.company_id, i.version_id, 'prod', $3, sha256(uuid_send(gen_random_uuid())), now() + $4::interval, at
        from kyc_instances i, generate_series(1, $2) n, lateral (select now() - n * interval '1 second' - $5 * interval '1 day') as a (at)
        where i.id = $1`,
        [company.instance.id, count, status, expires, days]
      )
    yield* add(abandoned, many, "running", "-1 hour", 1)
    yield* add(abandoned, 3, "running", "20 days", 2)
    yield* add(abandoned, 3, "completed", "-1 hour", 3)
    yield* add(busy, many, "running", "20 days", 1)
    yield* add(busy, 3, "running", "-1 hour", 2)
    yield* execute(database, "vacuum analyze kyc_sessions")
    const before = statements.length

    for (const [company, expired, running, all] of [
      [abandoned, "false", 3, 6],
      [busy, "true", 3, 3],
      [abandoned, "true", 20, 20],
      [busy, "false", 20, 20]
    ] as const) {
      for (const [query, found] of [
        [{ status: "running" }, running],
        [{}, all],
        [{ status: "running", instanceId: company.instance.id }, running],
        [{ instanceId: company.instance.id }, all]
      ] as const) {
        let [count, cursor, pages] = [0, "", 0]
        while (count < found && cursor !== null) {
          const { body } = yield* company.asPartner(
            `/api/kyc/sessions?${new URLSearchParams({ ...query, expired, ...(cursor === "" ? {} : { cursor }) })}`
          )
          count += Object(body).sessions.length
          cursor = Object(body).next_cursor
          pages += 1
        }
        expect([count, pages <= 10], JSON.stringify({ ...query, expired })).toEqual([found, true])
      }
    }
    const faults = statements
      .slice(before)
      .filter(({ text }) => text.includes("from kyc_sessions s"))
      .map((statement) => fault(statement, () => "kyc_sessions", [], most))
    expect(faults.length).toBeGreaterThanOrEqual(16)
    expect(faults.filter((one) => one !== undefined)).toEqual([])
  })
)
