import { Effect, type Redacted } from "effect"
import { checkServer, connect, type DatabaseUnavailable, whenReady } from "../../db/connection.ts"
import { type Migrator, missingMigrations } from "../../db/migrations.ts"
import { doubtful, type Finding, failed, well } from "../check.ts"

interface Diagnosis {
  readonly version: string
  readonly roundTripMillis: number
  /** How far its clock is ahead of this machine's, without the network delay. */
  readonly clockAheadMillis: number
}

/** Queries the server once. Fails with the sentence that says why the database cannot be used. */
export const diagnose = (url: Redacted.Redacted): Effect.Effect<Diagnosis, DatabaseUnavailable> =>
  whenReady(
    url,
    "cli.diagnosis",
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
  ).pipe(Effect.scoped)

/** Seconds by which the clocks may differ. */
const clocks = { tolerable: 2, bearable: 30 }

export const server = ({ roundTripMillis, version }: Diagnosis): Finding =>
  well(`Postgres ${version} answers in ${roundTripMillis.toFixed(1)} ms.`)

export const clock = ({ clockAheadMillis }: Diagnosis): Finding => {
  const seconds = Math.abs(clockAheadMillis) / 1000
  const message = `The database's clock is ${seconds.toFixed(1)} s ${clockAheadMillis < 0 ? "behind" : "ahead of"} this machine's.`
  const advice =
    "Let both follow a time server: keys and sessions expire by the database's clock, captcha tokens by this machine's."
  if (seconds > clocks.bearable) return failed(message, advice)
  return seconds > clocks.tolerable
    ? doubtful(message, advice)
    : well("The clocks of database and machine agree.")
}

export const migrations = (migrator: Migrator): Effect.Effect<Finding> =>
  missingMigrations({ ...migrator, timeout: "cli.diagnosis" }).pipe(
    Effect.map((missing) => {
      const names = missing.map(({ name }) => name)
      const list = names.length > 3 ? `${names[0]} to ${names.at(-1)} (${names.length})` : names.join(", ")
      return names.length === 0
        ? well("All migrations are applied.")
        : failed(`These migrations are missing: ${list}.`, "Apply them with the command migrate.")
    }),
    Effect.catchAll(({ message }) =>
      Effect.succeed(failed(message, "Run the version of doorlock that the database was last used with."))
    )
  )
