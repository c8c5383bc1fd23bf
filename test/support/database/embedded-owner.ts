/** A process that owns the embedded database in the given folder, for tests that kill such a process. */
import { Effect, Redacted } from "effect"
import { startEmbeddedPostgres } from "../../../src/db/embedded.ts"
import { Timing } from "../../../src/shared/timing.ts"
import { patientTiming } from "../timing.ts"

const [dataDir = ""] = process.argv.slice(2)

// Before any report, because the reader of the report may send the signal at once.
const terminated = new Promise<void>((resolve) => process.once("SIGTERM", () => resolve()))

const main = Effect.gen(function* () {
  const { adminUrl: url } = yield* startEmbeddedPostgres({ dataDir })
  process.stdout.write(`${JSON.stringify({ url: Redacted.value(url) })}\n`)
  yield* Effect.promise(() => terminated)
}).pipe(
  Effect.scoped,
  Effect.provideService(Timing, patientTiming),
  Effect.catchTag("EmbeddedPostgresError", ({ message }) =>
    Effect.sync(() => process.stdout.write(`${JSON.stringify({ message })}\n`))
  )
)

await Effect.runPromise(main)
