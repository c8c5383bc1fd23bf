/** docs/operations.md, Back up and restore: the folder of the embedded database, copied while nothing runs on it. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createSession, onboard, send } from "../support/client.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runUntilReady } from "../support/program.ts"

const settings = { SEED_DEMO: "false", LOG_LEVEL: "warning" }

it.scopedLive(
  "a copy of DATA_DIR is a whole installation: data, keys, and everything derived from SECRET_KEY",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const copy = join(yield* temporaryFolder, "copy")
      const keyHash = newKeyHash()
      const given = yield* Effect.scoped(
        Effect.gen(function* () {
          const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir })
          const server = { ...program, databaseUrl: Redacted.make("") }
          const company = yield* onboard(server)
          yield* check({ server }, company.session, keyHash)
          return company
        })
      )
      // With owners and modes, as `node:fs` does not copy it.
      execFileSync("cp", ["-a", dataDir, copy])
      const program = yield* runUntilReady({ ...settings, DATA_DIR: copy })
      const server = { ...program, databaseUrl: Redacted.make("") }
      const { path, token } = given.session
      expect((yield* send(server, "GET", `${path}?token=${token}`)).status).toBe(200)
      const session = yield* createSession(server, given.key.token, given.instance.id)
      expect((yield* check({ server }, session, keyHash)).body).toMatchObject({
        matchFound: true,
        firstSessionId: given.session.id
      })
    })
)
