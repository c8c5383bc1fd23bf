/** What a plan's month had counted by subscription, and what processes of the version before go on counting so. */
import { copyFileSync, readdirSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrate } from "../../../src/db/migrations.ts"
import { emptyDatabase } from "../../support/database.ts"
import { company, publish, subscription } from "../../support/marketplace/rows.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"

const migrations = `${import.meta.dirname}/../../../migrations`

it.scopedLive("counts of subscriptions become those of company, API and upstream", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const folder = yield* temporaryFolder
    for (const name of readdirSync(migrations).filter((file) => file < "0016"))
      copyFileSync(`${migrations}/${name}`, `${folder}/${name}`)
    yield* migrate({ url, folder })

    const subscriber = yield* company(url)
    const plain = yield* publish(url, yield* company(url))
    const withSandbox = yield* publish(url, yield* company(url))
    yield* execute(
      url,
      `insert into api_versions (id, api_id, version, upstream_url, sandbox_upstream_url, timeout_seconds)
       values (gen_random_uuid(), $1, '1', 'https://live.example', 'https://sandbox.example', 30)`,
      [withSandbox.apiId]
    )
    const cancelled = yield* subscription(url, plain, subscriber)
    yield* execute(url, "update subscriptions set status = 'cancelled' where id = $1", [cancelled])
    const present = yield* subscription(url, plain, subscriber)
    const other = yield* subscription(url, withSandbox, subscriber)
    /** As the version before writes. */
    const count = (subscriptionId: string, mode: string, used: number) =>
      execute(
        url,
        `insert into api_usage_months as total (subscription_id, mode, month, used)
         values ($1, $2, '2026-11-01', $3)
         on conflict (subscription_id, mode, month) do update set used = total.used + excluded.used`,
        [subscriptionId, mode, used]
      )
    yield* count(cancelled, "live", 3)
    yield* count(cancelled, "test", 4)
    yield* count(present, "live", 5)
    yield* count(other, "live", 100)
    yield* count(other, "test", 200)

    yield* migrate({ url })
    const counts = execute(
      url,
      `select api_id, upstream, month::text, used::int from api_usage_counts where company_id = $1
       order by used`,
      [subscriber]
    )
    const row = (apiId: string, upstream: string, used: number) => ({
      api_id: apiId,
      upstream,
      month: "2026-11-01",
      used
    })
    expect(yield* counts).toEqual([
      row(plain.apiId, "live", 12),
      row(withSandbox.apiId, "live", 100),
      row(withSandbox.apiId, "sandbox", 200)
    ])

    yield* count(present, "live", 10)
    yield* count(other, "test", 20)
    yield* count(yield* subscription(url, withSandbox, yield* company(url)), "live", 1)
    expect(yield* counts).toEqual([
      row(plain.apiId, "live", 22),
      row(withSandbox.apiId, "live", 100),
      row(withSandbox.apiId, "sandbox", 220)
    ])
  })
)
