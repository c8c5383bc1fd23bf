import { Clock, Effect } from "effect"
import { sha256Text } from "../secrets/digest.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import type { TimeoutName } from "../shared/times.ts"
import { Timing } from "../shared/timing.ts"
import { writeAnchor, writeEnd } from "./anchor-model.ts"
import { AnchorStore, AnchorsUnusable } from "./anchor-store.ts"
import { keyOfSeal, sealOf } from "./chain-model.ts"
import { AuditRepo, type EndRow } from "./repo.ts"

/** The maximum number of trails that a log line names. */
const loggedTrails = 100

/**
 * Records outside the database where the trails end (docs/audit.md). This reveals a truncated trail, one
 * restored with an older seal, and a missing company. Processes may anchor concurrently.
 */
export class Anchoring extends Effect.Service<Anchoring>()("Anchoring", {
  effect: Effect.gen(function* () {
    const timing = yield* Timing
    const repo = yield* AuditRepo
    const store = yield* AnchorStore
    const secretKey = yield* SecretKey
    const sealKeys = secretKey.accepted("audit-seal")

    /** By company, the end that this process anchored last. */
    const anchored = new Map<string, string>()

    /** Whether the last event is sealed. Replaces a seal made with the previous key. */
    const isSealed = ({ company_id, seal, seal_position, ...head }: EndRow): Effect.Effect<boolean> => {
      const { position } = head
      if (seal === null || seal_position !== position) return Effect.succeed(false)
      const key = keyOfSeal(sealKeys, company_id, head, seal)
      const [current] = sealKeys
      if (key === undefined || current === undefined || key === current) {
        return Effect.succeed(key !== undefined)
      }
      const renewed = sealOf(current, company_id, head)
      return Effect.as(repo.replaceSeal(company_id, { position, seal }, renewed), true)
    }

    const addEnds = Effect.gen(function* () {
      const [unsealed, sealed] = yield* Effect.partition(yield* repo.ends, (end) =>
        Effect.flatMap(isSealed(end), (is) => (is ? Effect.succeed(end) : Effect.fail(end)))
      )
      if (unsealed.length > 0) {
        yield* Effect.logWarning(
          "Audit trails end with an event that doorlock has not sealed; run audit verify for details"
        ).pipe(
          Effect.annotateLogs({
            trails: unsealed.length,
            companies: unsealed
              .slice(0, loggedTrails)
              .map(({ company_id }) => company_id)
              .join(" ")
          })
        )
      }
      const moved = sealed
        .map(({ company_id: companyId, hash, position }) => ({ companyId, hash, position }))
        .filter((end) => anchored.get(end.companyId) !== writeEnd(end))
      if (moved.length === 0) return
      const at = new Date(yield* Clock.currentTimeMillis)
      const text = writeAnchor({ at, ends: moved })
      yield* store.add(at, text)
      for (const end of moved) anchored.set(end.companyId, writeEnd(end))
      yield* Effect.logInfo("Anchored the audit trails").pipe(
        Effect.annotateLogs({
          trails: moved.length,
          sha256: sha256Text(text),
          ...(moved.length > loggedTrails ? {} : { heads: moved.map(writeEnd).join(" ") })
        })
      )
    })

    /** Anchors the trails that have grown. Never fails: the next run catches up. */
    const anchor = (timeout: TimeoutName): Effect.Effect<void> =>
      timing
        .withinOr(
          timeout,
          // At the end of the process, this runs in a finalizer.
          Effect.interruptible(addEnds),
          () => new AnchorsUnusable({ message: "The database or the anchor store did not respond in time" })
        )
        .pipe(
          Effect.catchAllCause((cause) =>
            Effect.logWarning("The audit trails could not be anchored; trying again later", cause)
          )
        )

    return { anchor }
  })
}) {}
