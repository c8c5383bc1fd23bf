/** A redaction while the file store is away, by a process that is killed (docs/privacy.md#redaction). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, text } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { companyOn, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { startS3 } from "../../support/machine/s3.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { runOn } from "../../support/program.ts"
import { anInstant } from "../../support/shapes.ts"

it.scopedLive(
  "a bucket that is away, then kill -9: the session is unreadable at once, its objects go when it is back",
  () =>
    Effect.gen(function* () {
      const { environment, fail, objects } = yield* startS3
      // The bucket has the anchors of audit trails, too.
      const contents = () => [...objects.keys()].filter((name) => name.startsWith("files/"))
      const url = yield* freshDatabase
      const settings = {
        ...environment,
        DATA_DIR: yield* temporaryFolder,
        SEED_DEMO: "false",
        SIGNUP: "open",
        LOG_LEVEL: "error"
      }
      const program = yield* runOn(url, settings)
      const company = yield* companyOn(program)
      const session = yield* company.newSession({ metadata: { plan: "gold" } })
      const { body } = yield* upload(company.server, session, samples.png)
      const path = `/api/kyc/sessions/${session.id}`
      expect(contents()).toHaveLength(2)
      fail("DELETE")
      expect((yield* company.asMember("POST", `${path}/redact`)).status).toBe(200)
      const file = yield* company.asPartner(`${path}/files/${text(body, "file", "id")}`)
      expect(statusAndBody(file)).toStrictEqual(refusal(404, "File not found"))
      expect(field((yield* company.read(session)).body, "session")).toMatchObject({
        redacted_at: anInstant,
        metadata: null
      })
      yield* eventually(
        "the removal was tried",
        Effect.map(
          execute(url, "select from work_jobs where kind = 'kyc.file.removal' and attempt > 0"),
          (tried) => tried.length > 0
        )
      )
      program.signal("SIGKILL")
      yield* program.exited
      expect(contents()).toHaveLength(2)
      fail()
      yield* runOn(url, settings)
      yield* eventually("the objects are deleted", () => contents().length === 0)
    })
)
