import { type Cause, Effect, Option } from "effect"
import { sealingFailures } from "../../observability/metrics.ts"
import { newId } from "../../shared/identifier.ts"
import { Timing } from "../../shared/timing.ts"
import { SessionKeys } from "../sessions/keys-service.ts"
import { Intake } from "./intake.ts"
import { copyIdOf } from "./model.ts"
import { FileRepo } from "./repo.ts"
import { sealedStore } from "./sealed-store.ts"

/** How many sessions are sealed at once: their data may have a megabyte each. */
const sessionsAtOnce = 20

const beforeAll = "00000000-0000-0000-0000-000000000000"

type Ids = ReadonlyArray<string>

/**
 * Seals what versions from before sealing have stored, and what they add while processes of two versions run. It may stop at any time, also by
 * `kill -9`, and go on later; several processes may do it at once.
 */
export class Sealing extends Effect.Service<Sealing>()("Sealing", {
  effect: Effect.gen(function* () {
    const repo = yield* FileRepo
    const keys = yield* SessionKeys
    const intake = yield* Intake
    const store = yield* sealedStore
    const { sleep, withinOr } = yield* Timing

    /** Whatever the reason is: it must keep nothing else from being sealed. */
    const skipped = (what: keyof typeof sealingFailures, id: string, cause: Cause.Cause<unknown>) =>
      Effect.logWarning(`A ${what} cannot be sealed; trying again later`, cause).pipe(
        Effect.annotateLogs({ [what]: id }),
        Effect.zipLeft(Effect.sync(() => sealingFailures[what].add()))
      )

    /** Seals these. If that fails, seals each by itself, and skips those that fail alone. */
    const sealEach = (
      what: keyof typeof sealingFailures,
      ids: Ids,
      seal: (ids: Ids) => Effect.Effect<unknown, unknown>
    ): Effect.Effect<void> =>
      Effect.catchAllCause(Effect.asVoid(seal(ids)), (cause) => {
        const [first] = ids
        if (first === undefined) return Effect.void
        return ids.length === 1
          ? skipped(what, first, cause)
          : Effect.forEach(ids, (id) => sealEach(what, [id], seal), { discard: true })
      })

    /** In the order of the ids, so that each is tried once, also those that stay. */
    const sealAll = (
      what: keyof typeof sealingFailures,
      find: (after: string, most: number) => Effect.Effect<Ids>,
      atOnce: number,
      seal: (ids: Ids) => Effect.Effect<unknown, unknown>
    ) =>
      Effect.iterate(beforeAll as string | undefined, {
        while: (after) => after !== undefined,
        body: (after = beforeAll) =>
          sleep("kyc.between_batches").pipe(
            Effect.zipRight(find(after, atOnce)),
            Effect.tap((ids) => sealEach(what, ids, seal)),
            Effect.map((ids) => ids.at(-1))
          )
      })

    /**
     * No transaction is open meanwhile: a bucket that hangs holds up no redaction. So the file may be deleted before its sealed content is
     * stored, and then that is deleted as well.
     */
    const sealFile = Effect.fnUntraced(function* (id: string) {
      const found = Option.getOrUndefined(yield* repo.findUnsealed(id))
      if (found === undefined) return
      const key = yield* keys.ofCompany(found.company_id, found.session_id)
      if (Option.isNone(key)) return
      const path = yield* intake.place(newId())
      const names = found.has_copy ? [id, copyIdOf(id)] : [id]
      yield* Effect.forEach(names, (name) => store.seal(key.value, name, path), { discard: true })
      if (yield* repo.markSealed(id)) return
      yield* Effect.forEach(names, store.remove, { discard: true })
    })

    const sealFiles = (ids: Ids) =>
      Effect.forEach(
        ids,
        (id) => withinOr("kyc.seal_file", sealFile(id), () => new Error("The file store does not answer")),
        { discard: true }
      )

    /** Seals all that is stored. What cannot be sealed now stays for the next time. */
    const run: Effect.Effect<void> = Effect.gen(function* () {
      yield* sealAll("session", keys.unsealedAfter, sessionsAtOnce, keys.sealSome)
      yield* sealAll("session", keys.plainAfter, sessionsAtOnce, keys.sealPlain)
      yield* sealAll("file", repo.unsealedAfter, 1, sealFiles)
    })

    return { run }
  })
}) {}
