/** Runs the limit and usage services on a database, without a gateway. */
import { Clock, Context, Effect, Layer, Redacted, type Scope } from "effect"
import { Config } from "../../../src/config.ts"
import * as Database from "../../../src/db/database.ts"
import type { PlannedCall } from "../../../src/marketplace/limits/model.ts"
import { PlanLimits, type Verdict } from "../../../src/marketplace/limits/service.ts"
import type { AdmittedOutcome } from "../../../src/marketplace/usage/model.ts"
import { UsageRecordingRepo } from "../../../src/marketplace/usage/recording-repo.ts"
import { UsageRecorder } from "../../../src/marketplace/usage/recording-service.ts"
import * as logging from "../../../src/observability/logging.ts"
import { Background, type BackgroundName } from "../../../src/shared/background.ts"
import { standingBackground } from "../background.ts"
import { eventually } from "../eventually.ts"
import { patient } from "../run/timeouts.ts"

type Limits = Context.Tag.Service<typeof PlanLimits>

export interface Metering extends Limits {
  /** Runs one round of a job of its background, which does not run by itself. */
  readonly run: (name: BackgroundName) => Effect.Effect<void>
}

/** The settings of a process that only counts. */
export const meteringConfig = (
  databaseUrl: Redacted.Redacted,
  environment: Readonly<Record<string, string>> = {}
) =>
  Config.layer({
    DATABASE_URL: Redacted.value(databaseUrl),
    SECRET_KEY: "a secret key for tests, 32 bytes at least",
    LOG_LEVEL: "none",
    ...environment
  })

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
    Layer.provide(meteringConfig(databaseUrl, environment))
  )

/**
 * Starts the services of one process. They write usage when the test says so, and when they stop, with the scope.
 */
export const metering = (
  databaseUrl: Redacted.Redacted,
  environment: Readonly<Record<string, string>> = {},
  clock: Clock.Clock = Clock.make()
): Effect.Effect<Metering, unknown, Scope.Scope> =>
  Effect.suspend(() => {
    const { background, run } = standingBackground()
    return Layer.build(meteringLayer(databaseUrl, environment)).pipe(
      Effect.withClock(clock),
      Effect.provideService(Background, background),
      Effect.map((context) => ({ ...Context.get(context, PlanLimits), run }))
    )
  })

/** Asks for a verdict as the gateway does. */
export const ask = (limits: Limits, call: PlannedCall): Effect.Effect<Verdict> =>
  Effect.suspend(() => {
    const verdict = limits.takeNow(call)
    return verdict === undefined ? limits.take(call) : Effect.succeed(verdict)
  })

/** Makes one call, from beginning to end. */
export const call = (
  limits: Limits,
  planned: PlannedCall,
  outcome: AdmittedOutcome = "2xx"
): Effect.Effect<Verdict> =>
  Effect.tap(ask(limits, planned), (verdict) =>
    Effect.sync(() => {
      if (verdict.over === undefined) limits.settle(planned, verdict, outcome)
    })
  )

/** Makes calls concurrently and returns how many were admitted. */
export const calls = (
  limits: Limits,
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

/** Whether the decision on this call needs Redis. */
export const asksRedis = (limits: Limits, planned: PlannedCall): Effect.Effect<boolean> =>
  Effect.sync(() => {
    const verdict = limits.takeNow(planned)
    if (verdict !== undefined && verdict.over === undefined) limits.settle(planned, verdict, "gateway_error")
    return verdict === undefined
  })

/** Waits until Redis is asked again, which the process finds out when it looks. */
export const asksRedisAgain = (limits: Metering, planned: PlannedCall) =>
  eventually("it asks Redis", Effect.zipRight(limits.run("marketplace.redis"), asksRedis(limits, planned)))
