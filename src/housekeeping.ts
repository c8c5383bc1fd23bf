import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MembersRepo } from "./accounts/members-repo.ts"
import { AccountRepo } from "./accounts/repo.ts"
import { CaptchaRepo } from "./kyc/captcha/repo.ts"
import { Files } from "./kyc/files/service.ts"
import { HandoffRepo } from "./kyc/handoffs/repo.ts"
import { IdempotencyRepo } from "./marketplace/subscriptions/idempotency-repo.ts"
import { UsageRecordingRepo } from "./marketplace/usage/recording-repo.ts"

const interval = Duration.hours(1)

/** Runs all tasks; what fails of them is logged, stops none of the others, and is tried again with the next round. */
export const eachByItself = <R>(
  tasks: Readonly<Record<string, Effect.Effect<unknown, unknown, R>>>
): Effect.Effect<void, never, R> =>
  Effect.forEach(
    Object.entries(tasks),
    ([task, run]) =>
      Effect.catchAllCause(run, (cause) =>
        Effect.logWarning("Housekeeping failed; it is tried again later", cause).pipe(
          Effect.annotateLogs({ task })
        )
      ),
    { discard: true }
  )

/** Deletes what no request can use any more. Every replica may do it: the second finds nothing. */
export const tidy = Effect.gen(function* () {
  const { deleteExpiredSessions } = yield* AccountRepo
  const { deleteExpiredInvitations } = yield* MembersRepo
  const { deleteExpiredTokens } = yield* CaptchaRepo
  const { deleteOldAnswers } = yield* IdempotencyRepo
  const { wipeExpired } = yield* HandoffRepo
  const { sweep } = yield* Files
  const { deleteOldRecorders } = yield* UsageRecordingRepo
  yield* eachByItself({
    sessions: deleteExpiredSessions,
    invitations: deleteExpiredInvitations,
    "captcha tokens": deleteExpiredTokens,
    handoffs: wipeExpired,
    "idempotent answers": deleteOldAnswers,
    files: sweep,
    "usage recorders": deleteOldRecorders
  })
})

/** Tidies up every hour. */
export const layer = Layer.scopedDiscard(tidy.pipe(Effect.delay(interval), Effect.forever, Effect.forkScoped))
