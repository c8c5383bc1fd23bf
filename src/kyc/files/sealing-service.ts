import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option } from "effect"
import { transaction } from "../../db/sql.ts"
import { newId } from "../../shared/identifier.ts"
import { SessionKeys } from "../sessions/keys-service.ts"
import { Intake } from "./intake.ts"
import { copyIdOf } from "./model.ts"
import { FileRepo } from "./repo.ts"
import { sealedStore } from "./sealed-store.ts"

/** How many sessions are sealed at once: their data may have a megabyte each. */
const sessionsAtOnce = 20

/** Requests have priority. */
const pause = "50 millis"

const beforeAll = "00000000-0000-0000-0000-000000000000"

/**
 * Seals what versions from before sealing have stored. It may stop at any time, also by `kill -9`, and go on later; several processes may do it
 * at once.
 */
export class Sealing extends Effect.Service<Sealing>()("Sealing", {
  effect: Effect.gen(function* () {
    const repo = yield* FileRepo
    const keys = yield* SessionKeys
    const intake = yield* Intake
    const store = yield* sealedStore
    const inTransaction = transaction(yield* SqlClient.SqlClient)

    const sessions = Effect.repeat(Effect.delay(keys.sealSome(sessionsAtOnce), pause), {
      while: (sealed) => sealed > 0
    })

    /** Seals the next file after this one and returns its id; undefined after the last. A redaction of its session waits. */
    const sealNext = (after: string) =>
      inTransaction(
        Effect.gen(function* () {
          const found = Option.getOrUndefined(yield* repo.lockUnsealed(after))
          if (found === undefined) return undefined
          const { company_id, has_copy, id, session_id } = found
          const key = yield* keys.ofCompany(company_id, session_id)
          if (Option.isNone(key)) return id
          const path = yield* intake.place(newId())
          yield* Effect.forEach(has_copy ? [id, copyIdOf(id)] : [id], (name) =>
            store.seal(key.value, name, path)
          ).pipe(
            Effect.zipRight(repo.markSealed(id)),
            Effect.catchAll((error) =>
              Effect.annotateLogs(Effect.logWarning("A file cannot be sealed; trying again later", error), {
                file: id
              })
            )
          )
          return id
        })
      )

    const files = Effect.iterate(beforeAll as string | undefined, {
      while: (after) => after !== undefined,
      body: (after) => Effect.delay(sealNext(after ?? beforeAll), pause)
    })

    /** Seals all that is stored. What cannot be sealed now stays for the next time. */
    const run: Effect.Effect<void> = Effect.asVoid(Effect.zipRight(sessions, files))

    return { run }
  })
}) {}
