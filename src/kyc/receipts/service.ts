import { Effect } from "effect"
import { Config } from "../../config.ts"
import { Files } from "../files/service.ts"
import { SessionExpired } from "../sessions/errors.ts"
import { isFinished } from "../sessions/model.ts"
import { AnswerOrigins } from "../sessions/origins-service.ts"
import { type SessionAccess, Sessions } from "../sessions/service.ts"
import { ReceiptKeys } from "./keys-service.ts"
import { receiptOf, SessionNotFinished } from "./receipt-model.ts"
import { ReceiptRepo } from "./repo.ts"
import { sign } from "./signature.ts"

/** Receipts for end users: who asked for their data, for what, and what they handed over (contract.md#receipts). */
export class Receipts extends Effect.Service<Receipts>()("Receipts", {
  dependencies: [ReceiptRepo.Default, ReceiptKeys.Default],
  effect: Effect.gen(function* () {
    const { appUrl, retention } = yield* Config
    const repo = yield* ReceiptRepo
    const keys = yield* ReceiptKeys
    const sessions = yield* Sessions
    const files = yield* Files
    const origins = yield* AnswerOrigins

    /**
     * The signed receipt, for the holder of the session's token. It is stored nowhere, and the same again until the key
     * changes. Fails with `SessionNotFound`, `SessionNotFinished`, or `SessionExpired`, also if the session is redacted.
     */
    const issue = Effect.fnUntraced(function* (access: SessionAccess) {
      const session = yield* sessions.read(access)
      if (!isFinished(session.status)) return yield* new SessionNotFinished()
      // Nobody knows any more what was handed over, and nothing must be signed about it.
      if (session.redacted_at !== null) return yield* new SessionExpired()
      const company = yield* repo.companyName(session.company_id)
      const uploaded = yield* files.list(session.company_id, session.id)
      const { sessionsMonths } = retention
      const monthEnds =
        sessionsMonths === undefined
          ? undefined
          : yield* repo.monthEnd(session.id, session.completed_at, sessionsMonths)
      const receipt = receiptOf(session, {
        company,
        origins: yield* origins.of(session),
        files: uploaded.length,
        issuer: appUrl,
        kept: { ...retention, monthEnds, isCarriedOn: yield* repo.isCarriedOn(session.id) }
      })
      const { id, key } = yield* keys.signing
      return yield* Effect.promise(() => sign(receipt, id, key))
    })

    return { issue, keys: keys.published }
  })
}) {}
