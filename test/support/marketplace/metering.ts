/** Limits and usage without a gateway: the services themselves, on a database. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { Config } from "../../../src/config.ts"
import * as Database from "../../../src/db/database.ts"
import type { PlannedCall } from "../../../src/marketplace/limits/model.ts"
import { PlanLimits, type Verdict } from "../../../src/marketplace/limits/service.ts"
import type { AdmittedOutcome } from "../../../src/marketplace/usage/model.ts"
import { UsageRecordingRepo } from "../../../src/marketplace/usage/recording-repo.ts"
import { BatchDelay, UsageRecorder } from "../../../src/marketplace/usage/recording-service.ts"
import * as logging from "../../../src/observability/logging.ts"
import { patient } from "../run/patience.ts"

export type Metering = Context.Tag.Service<typeof PlanLimits>

export const meteringLayer = (
  databaseUrl: Redacted.Redacted,
  environment: Readonly<Record<string, string>>
) =>
  PlanLimits.Default.pipe(
    Layer.provide(UsageRecorder.Default),
    Layer.provide(UsageRecordingRepo.Default),
    Layer.provide(Database.layer({ url: databaseUrl, maxConnections: 2 })),
    Layer.provide(logging.layer),
    Layer.provide(patient),
    Layer.provide(
      Config.layer({
        DATABASE_URL: Redacted.value(databaseUrl),
        SECRET_KEY: "a secret key for tests, 32 bytes at least",
        LOG_LEVEL: "none",
        ...environment
      })
    )
  )

/** What one process has, which writes usage in batches as often as can be. It ends with the scope. */
export const metering = (
  databaseUrl: Redacted.Redacted,
  environment: Readonly<Record<string, string>> = {},
  clock: Clock.Clock = Clock.make()
): Effect.Effect<Metering, unknown, Scope.Scope> =>
  Layer.build(meteringLayer(databaseUrl, environment)).pipe(
    Effect.withClock(clock),
    Effect.provideService(BatchDelay, Duration.millis(20)),
    Effect.map((context) => Context.get(context, PlanLimits))
  )

/** As the gateway asks. */
export const ask = (limits: Metering, call: PlannedCall): Effect.Effect<Verdict> =>
  Effect.suspend(() => {
    const verdict = limits.takeNow(call)
    return verdict === undefined ? limits.take(call) : Effect.succeed(verdict)
  })

/** A call from its begin to its end. */
export const call = (
  limits: Metering,
  planned: PlannedCall,
  outcome: AdmittedOutcome = "2xx"
): Effect.Effect<Verdict> =>
  Effect.tap(ask(limits, planned), (verdict) =>
    Effect.sync(() => {
      if (verdict.over === undefined) limits.settle(planned, verdict, outcome)
    })
  )

/** So many calls at once; how many of them were admitted. */
export const calls = (
  limits: Metering,
  planned: PlannedCall,
  count: number,
  outcome: AdmittedOutcome = "2xx"
): Effect.Effect<number> =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => call(limits, planned, outcome), {
      concurrency: "unbounded"
    }),
    (verdicts) => verdicts.filter(({ over }) => over === undefined).length
  )
