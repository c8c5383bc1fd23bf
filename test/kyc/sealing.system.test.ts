import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { cli, finding } from "../support/cli.ts"
import { field, type TestSession, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { download, jpegOf, samples, sha256, upload } from "../support/kyc/files.ts"
import { companyOf, companyOn, startCompany } from "../support/kyc/partner.ts"
import { unsealedFile, unsealedSession } from "../support/kyc/unsealed.ts"
import { everyRow, execute, temporaryFolder } from "../support/postgres.ts"
import { startHere } from "../support/program-here.ts"
import { startServer, startServerOn } from "../support/server.ts"

const before = "a secret key for tests, 32 bytes at least"
const after = "the secret key that comes after that one"

const doctor = (env: Readonly<Record<string, string>>) => finding("personal data", { env })

it.scopedLive(
  "the background pass seals stored sessions and files while the service serves, and can be repeated",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const server = yield* startServer({ DATA_DIR: dataDir })
      const url = server.databaseUrl
      const other = yield* startServerOn(url, { DATA_DIR: dataDir })
      const company = yield* companyOn(server)
      const env = { DATABASE_URL: Redacted.value(url), SECRET_KEY: before, DATA_DIR: dataDir }
      const data = { metadata: { plan: "marked-1 gold" }, progress: { s_a: { name: "marked-2" }, s_b: [1] } }
      const sessions = yield* Effect.replicateEffect(unsealedSession(company, data), 45)
      const [session = sessions[0]] = sessions
      if (session === undefined) throw new Error("A session is missing")
      const bytes = jpegOf(150_000)
      const file = yield* unsealedFile(url, dataDir, session, bytes)
      const missing = yield* unsealedFile(url, dataDir, session, bytes)
      for (const path of missing.stored) rmSync(path)
      const path = `/api/kyc/sessions/${session.id}/files/${file.id}`
      const key = { "x-api-key": company.key.token }
      const shown = Effect.gen(function* () {
        const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
        const original = yield* download(company.server, `${path}?original=true`, key)
        const copy = yield* download(company.server, path, key)
        return {
          metadata: field(body, "session", "metadata"),
          progress: field(body, "session", "progress"),
          original: sha256(original.bytes),
          copy: sha256(copy.bytes)
        }
      })
      const asBefore = { ...data, original: sha256(bytes), copy: sha256(samples.jpeg) }
      // Until then it is read as it is. The download seals the session, because its key is needed.
      expect(yield* doctor(env)).toMatchObject({
        status: "warning",
        message: "An earlier version stored 45 sessions and 2 files without sealing them."
      })
      expect(yield* shown).toEqual(asBefore)
      // A process that was killed after it had sealed a file, and before it could say so.
      for (let time = 0; time < 2; time++) {
        yield* execute(url, "update kyc_files set sealed = false where id = $1", [file.id])
        yield* Effect.all([server.run("kyc.sealing"), other.run("kyc.sealing"), shown], { concurrency: 3 })
        expect(yield* shown).toEqual(asBefore)
        for (const stored of file.stored) {
          const content = readFileSync(stored)
          expect([content.includes(bytes.subarray(0, 50)), content.includes(samples.jpeg)]).toEqual([
            false,
            false
          ])
        }
        const rows = yield* execute(url, "select s::text as row from kyc_sessions s")
        expect(rows.filter((row) => text(row, "row").includes("marked"))).toEqual([])
        expect(yield* execute(url, "select count(*)::int as keys from kyc_session_keys")).toEqual([
          { keys: 45 }
        ])
      }
      // An older dump is restored; the keys and the files are newer.
      yield* execute(
        url,
        "update kyc_sessions set sealed = false, metadata = $2::text::jsonb, progress = $3::text::jsonb where id = $1",
        [session.id, JSON.stringify(data.metadata), JSON.stringify(data.progress)]
      )
      yield* execute(url, "update kyc_files set sealed = false where id = $1", [file.id])
      yield* server.run("kyc.sealing")
      expect(yield* shown).toEqual(asBefore)
      // What is missing cannot be sealed; it holds up nothing else.
      expect(yield* doctor(env)).toMatchObject({
        message: "An earlier version stored 0 sessions and 1 files without sealing them."
      })
    })
)

it.scopedLive("what a replica from before sealing adds to sealed sessions is found and sealed", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const server = yield* startServer({ DATA_DIR: dataDir })
    const url = server.databaseUrl
    const company = yield* companyOn(server)
    const env = { DATABASE_URL: Redacted.value(url), SECRET_KEY: before, DATA_DIR: dataDir }
    const sessions = yield* Effect.replicateEffect(company.newSession({ metadata: { plan: "gold" } }), 25)
    for (const session of sessions) {
      yield* company.progress(session, { progress: { s_a: { name: "sealed" } } })
    }
    expect(yield* execute(url, "select count(*)::int as n from kyc_sessions where has_plain")).toEqual([
      { n: 0 }
    ])
    const added = { s_b: [], s_c: { name: "marked-1" }, s_d: "marked-2", s_e: 5 }
    yield* execute(url, "update kyc_sessions set progress = progress || $1::jsonb, result = $2::jsonb", [
      JSON.stringify(added),
      JSON.stringify({ name: "marked-3" })
    ])
    expect(yield* doctor(env)).toMatchObject({
      message:
        "An earlier version stored 0 sessions and 0 files without sealing them. It added values to 25 sealed sessions."
    })
    yield* server.run("kyc.sealing")
    expect(yield* doctor(env)).toMatchObject({ status: "ok" })
    const rows = yield* execute(url, "select s::text as row from kyc_sessions s")
    expect(rows.filter((row) => text(row, "row").includes("marked"))).toEqual([])
    for (const { id } of sessions) {
      const { body } = yield* company.asPartner(`/api/kyc/sessions/${id}`)
      expect(body).toMatchObject({
        session: {
          metadata: { plan: "gold" },
          progress: { s_a: { name: "sealed" }, ...added },
          result: { name: "marked-3" }
        }
      })
    }
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
      const nothing = yield* cli(["secrets", "reseal", "--json"], { env: unknown })
      expect(JSON.parse(nothing.stdout)).toEqual({ resealed: 0, left: 12, broken: [] })

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
