import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { cli, finding, jsonOf } from "../support/cli.ts"
import { field, type TestSession, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { companyOf, companyOn, startCompany } from "../support/kyc/partner.ts"
import { everyRow, execute, temporaryFolder } from "../support/postgres.ts"
import { startHere } from "../support/program-here.ts"
import { startServerOn } from "../support/server.ts"

const before = "a secret key for tests, 32 bytes at least"
const after = "the secret key that comes after that one"

const doctor = (env: Readonly<Record<string, string>>) => finding("personal data", { env })

it.scopedLive(
  "keys that belong to no session, as after a restore, refuse no start and keep no rotation from ending",
  () =>
    Effect.gen(function* () {
      const company = yield* startCompany()
      const { databaseUrl } = company.server
      const sessions = yield* Effect.replicateEffect(company.newSession(), 3)
      const [broken = { id: "" }] = sessions
      const orphan =
        "insert into kyc_session_keys (session_id, sealed_key, sealed_with) select gen_random_uuid(), sealed_key, "
      yield* execute(databaseUrl, `${orphan} sealed_with from kyc_session_keys limit 2`)
      yield* execute(databaseUrl, `${orphan} 'a lost secret' from kyc_session_keys limit 1`)
      yield* execute(databaseUrl, "update kyc_session_keys set sealed_key = 'broken' where session_id = $1", [
        broken.id
      ])
      const env = {
        DATABASE_URL: Redacted.value(databaseUrl),
        SECRET_KEY: after,
        SECRET_KEY_PREVIOUS: before,
        DATA_DIR: yield* temporaryFolder
      }
      const reseal = Effect.map(cli(["secrets", "reseal", "--json"], { env }), jsonOf)
      expect(yield* reseal).toEqual({ resealed: 2, left: 1, broken: [broken.id] })
      const failure = yield* Effect.flip(startHere(databaseUrl, { SECRET_KEY: after }))
      expect(failure.message).toContain(`such as that of the session ${broken.id} (sealed_with `)
      yield* execute(databaseUrl, "delete from kyc_session_keys where session_id = $1", [broken.id])
      expect(yield* reseal).toEqual({ resealed: 0, left: 0, broken: [] })
      const started = yield* startHere(databaseUrl, { SECRET_KEY: after })
      expect(started.urls).toHaveLength(1)
    })
)

it.scopedLive(
  "secrets reseal seals all keys with another SECRET_KEY while serving; doctor counts what is left",
  () =>
    Effect.gen(function* () {
      const company = yield* startCompany()
      const { databaseUrl } = company.server
      yield* Effect.replicateEffect(company.newSession({ metadata: { plan: "gold" } }), 12)
      const dataDir = yield* temporaryFolder
      const rotating = {
        DATABASE_URL: Redacted.value(databaseUrl),
        SECRET_KEY: after,
        SECRET_KEY_PREVIOUS: before,
        DATA_DIR: dataDir
      }
      const plans = (environment: Readonly<Record<string, string>>) =>
        Effect.gen(function* () {
          const on = companyOf(
            yield* startServerOn(databaseUrl, environment),
            company.member,
            company.key,
            company.instance
          )
          const { body } = yield* on.asPartner("/api/kyc/sessions?limit=100")
          return [field(body, "sessions")].flat().filter((one) => text(one, "metadata", "plan") === "gold")
            .length
        })
      expect(yield* plans(rotating)).toBe(12)
      expect(yield* doctor(rotating)).toMatchObject({
        status: "warning",
        message: "The keys of 12 sessions are still sealed under SECRET_KEY_PREVIOUS."
      })
      const unknown = { ...rotating, SECRET_KEY_PREVIOUS: "a key that has never sealed anything" }
      expect(yield* doctor(unknown)).toMatchObject({ status: "failed" })

      const [done, also] = yield* Effect.all(
        [
          cli(["secrets", "reseal", "--json"], { env: rotating }),
          cli(["secrets", "reseal", "--json"], { env: rotating }),
          plans(rotating)
        ],
        { concurrency: 3 }
      )
      expect(
        Number(field(JSON.parse(done.stdout), "resealed")) +
          Number(field(JSON.parse(also.stdout), "resealed"))
      ).toBe(12)
      expect(yield* plans({ SECRET_KEY: after })).toBe(12)
      expect(yield* doctor(rotating)).toMatchObject({ status: "ok" })
    })
)

it.scopedLive(
  "a start with a SECRET_KEY that does not open the stored data is refused by name, and writes nothing",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      // It ends, so that it writes nothing more.
      yield* Effect.scoped(
        startServerOn(databaseUrl).pipe(
          Effect.flatMap((server) => companyOn(server)),
          Effect.flatMap(({ newSession }) => newSession())
        )
      )
      // What a start would write: the first company with its user, and a migration.
      yield* execute(databaseUrl, "update users set email = 'renamed-' || email")
      const [last] = yield* execute(
        databaseUrl,
        "delete from schema_migrations where version = (select max(version) from schema_migrations) returning *"
      )
      const refused = Effect.gen(function* () {
        const asItWas = yield* everyRow(databaseUrl)
        const failure = yield* Effect.flip(startHere(databaseUrl, { SECRET_KEY: after }))
        expect(failure.message).toMatch(
          /^SECRET_KEY is not the key that sealed the personal data in this database/
        )
        expect(yield* everyRow(databaseUrl)).toEqual(asItWas)
      })
      yield* refused
      yield* execute(
        databaseUrl,
        "insert into schema_migrations select * from jsonb_populate_record(null::schema_migrations, $1)",
        [JSON.stringify(last)]
      )
      yield* refused
      const started = yield* startHere(databaseUrl, { SECRET_KEY: after, SECRET_KEY_PREVIOUS: before })
      expect(started.urls).toHaveLength(1)
    })
)

it.scopedLive("a file that does not open is a 500 before the response begins", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const company = yield* startCompany({ DATA_DIR: dataDir })
    const [session, other] = [yield* company.newSession(), yield* company.newSession()]
    const put = (to: TestSession) =>
      Effect.map(upload(company.server, to, samples.pdf), ({ body }) => text(body, "file", "id"))
    const [id, foreign] = [yield* put(session), yield* put(other)]
    const place = (file: string) => join(dataDir, "files", file.slice(-2), file)
    for (const content of [readFileSync(place(foreign)), samples.pdf]) {
      writeFileSync(place(id), content)
      const answer = yield* company.asPartner(`/api/kyc/sessions/${session.id}/files/${id}`)
      expect([answer.status, answer.text]).toEqual([500, '{"error":"Failed to get file"}'])
    }
  })
)
