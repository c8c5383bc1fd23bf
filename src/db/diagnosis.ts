import { Effect, type Redacted } from "effect"
import { checkServer, connect, type DatabaseUnavailable, whenReady } from "./connection.ts"

export interface Diagnosis {
  readonly version: string
  readonly roundTripMillis: number
  /** How far its clock is ahead of this machine's, without the network delay. */
  readonly clockAheadMillis: number
}

/** Queries the server once. Fails with the sentence that says why the database cannot be used. */
export const diagnose = (url: Redacted.Redacted): Effect.Effect<Diagnosis, DatabaseUnavailable> =>
  Effect.scoped(
    whenReady(
      url,
      "2 seconds",
      Effect.gen(function* () {
        const client = yield* connect(url)
        yield* checkServer(client, url)
        return yield* Effect.tryPromise(async () => {
          const asked = Date.now()
          const began = performance.now()
          const { rows } = await client.query<{ version: string; now: Date }>(
            "select current_setting('server_version') as version, clock_timestamp() as now"
          )
          const roundTripMillis = performance.now() - began
          const [row] = rows
          const middle = asked + roundTripMillis / 2
          return {
            version: row?.version ?? "",
            roundTripMillis,
            clockAheadMillis: (row?.now.getTime() ?? middle) - middle
          }
        })
      })
    )
  )
