/** How long a commit takes that tells all processes of a change. */
import { Effect } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { execute } from "../../support/postgres.ts"
import { postgres } from "../servers.ts"
import { seconds } from "../table.ts"

/** Processes that listen, in the two measurements. */
const listeners = [0, 100] as const

/** Connections that commit at once. */
const writers = 8

/** As a revocation does: a row is written, and all are told. */
const change =
  "with changed as (insert into changes values (1) returning id) select pg_notify('bench', id::text) from changed"

/** Seconds of such a commit that tells nobody, and the seconds that each listening process adds. Commits that notify wait for each other. */
export const told = Effect.gen(function* () {
  const url = yield* postgres
  yield* execute(url, "create table changes (id int)")
  const secondsFor = (listening: number) =>
    Effect.scoped(
      Effect.gen(function* () {
        for (let at = 0; at < listening; at++) {
          const client = yield* connect(url)
          yield* Effect.promise(() => client.query("listen bench"))
        }
        const clients = yield* Effect.replicateEffect(connect(url), writers)
        const [began, end] = [performance.now(), performance.now() + seconds * 1_000]
        const commits = yield* Effect.promise(() =>
          Promise.all(
            clients.map(async (client) => {
              let count = 0
              for (; performance.now() < end; count++) await client.query(change)
              return count
            })
          )
        )
        const taken = (performance.now() - began) / 1_000
        return taken / commits.reduce((sum, count) => sum + count, 0)
      })
    )
  const [few, many] = [yield* secondsFor(listeners[0]), yield* secondsFor(listeners[1])]
  return { fixed: few, each: (many - few) / listeners[1] }
}).pipe(Effect.scoped)
