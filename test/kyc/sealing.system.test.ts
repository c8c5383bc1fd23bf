/** What versions from before sealing stored, and a change of SECRET_KEY (docs/privacy.md). */
import { createHash } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import { figures } from "../../src/observability/meters.ts"
import { newId } from "../../src/shared/identifier.ts"
import { cli, finding, jsonOf } from "../support/cli.ts"
import { field, send, type TestSession, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { download, jpegOf, samples, sha256, upload } from "../support/kyc/files.ts"
import { companyOf, companyOn, startCompany } from "../support/kyc/partner.ts"
import { unsealedFile, unsealedSession } from "../support/kyc/unsealed.ts"
import { startS3 } from "../support/machine/s3.ts"
import { everyRow, execute, temporaryFolder } from "../support/postgres.ts"
import { startHere } from "../support/program-here.ts"
import { startServer, startServerOn } from "../support/server.ts"
import { steppedClock } from "../support/stopped-clock.ts"
import { withTimes } from "../support/timing.ts"

const before = "a secret key for tests, 32 bytes at least"
const after = "the secret key that comes after that one"

/** In milliseconds. */
const hour = 3_600_000

/** How often the pass could not seal something, as `/metrics` says. */
const sealingFailuresNow = () => {
  const found = figures().find(({ name }) => name === "doorlock_sealing_failures_total")
  const of = (what: string) => found?.series[`what="${what}"`]?.[0] ?? 0
  return { session: of("session"), file: of("file") }
}

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

it.scopedLive(
  "a session, a file and a bucket that cannot be sealed hold up nothing else, not even a redaction",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const { environment, hang, objects, requests } = yield* startS3
      const server = yield* startServer({ DATA_DIR: dataDir, ...environment }).pipe(
        withTimes({ timeouts: { "kyc.seal_file": hour } })
      )
      const url = server.databaseUrl
      const company = yield* companyOn(server)
      const data = { metadata: { plan: "marked-1" }, progress: { s_a: { name: "marked-2" } } }
      const sessions = yield* Effect.replicateEffect(unsealedSession(company, data), 4)
      const [poison, hanging, good] = sessions
      if (poison === undefined || hanging === undefined || good === undefined)
        throw new Error("A session is missing")
      // What no version of doorlock writes.
      yield* execute(url, "update kyc_sessions set metadata = '5' where id = $1", [poison.id])
      const addFile = (session: TestSession) =>
        Effect.gen(function* () {
          const id = newId()
          yield* execute(
            url,
            "insert into kyc_files (id, session_id, content_type, size, sha256) values ($1, $2, 'image/jpeg', $3, $4)",
            [id, session.id, samples.jpeg.length, createHash("sha256").update(samples.jpeg).digest()]
          )
          objects.set(`files/${id}`, samples.jpeg)
          return id
        })
      // In the order of their ids, so the pass meets the bad ones first.
      const files = {
        poison: yield* addFile(poison),
        hanging: yield* addFile(hanging),
        good: yield* addFile(good)
      }
      hang(`files/${files.hanging}`)
      const counted = sealingFailuresNow()
      const clock = steppedClock()
      const pass = yield* Effect.fork(Effect.withClock(server.run("kyc.sealing"), clock.clock))
      yield* eventually("the bucket hangs", Effect.as(clock.pass(50), requests), (asked) =>
        asked.includes(`GET files/${files.hanging}`)
      )
      const redacted = yield* send(company.server, "POST", `/api/kyc/sessions/${hanging.id}/redact`, {
        headers: { "x-api-key": company.key.token }
      })
      expect(redacted.status).toBe(200)
      yield* clock.pass(hour)
      yield* eventually(
        "the pass has ended",
        Effect.zipRight(clock.pass(50), Fiber.poll(pass)),
        Option.isSome
      )
      yield* Fiber.join(pass)
      expect(sealingFailuresNow()).toEqual({ session: counted.session + 1, file: counted.file + 2 })
      expect(yield* execute(url, "select id, sealed from kyc_files order by id")).toEqual([
        { id: files.poison, sealed: false },
        { id: files.good, sealed: true }
      ])
      const rows = yield* execute(url, "select id, s::text as row from kyc_sessions s")
      expect(rows.filter((row) => text(row, "row").includes("marked")).map(({ id }) => id)).toEqual([
        poison.id
      ])
      const found = yield* doctor({
        DATABASE_URL: Redacted.value(url),
        SECRET_KEY: before,
        DATA_DIR: dataDir,
        ...environment
      })
      expect(found).toMatchObject({
        message: "An earlier version stored 1 sessions and 1 files without sealing them.",
        advice: expect.stringContaining(`session ${poison.id}, file ${files.poison} of session ${poison.id}`)
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
      expect(yield* doctor(env)).toMatchObject({
        status: "warning",
        message: expect.stringMatching(/^3 keys belong to no session/)
      })
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
      const sessions = yield* Effect.replicateEffect(company.newSession({ metadata: { plan: "gold" } }), 12)
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

      // As if it had been stopped after some of them.
      const [first = { id: "" }] = sessions
      yield* execute(
        databaseUrl,
        "update kyc_session_keys set sealed_with = 'x' || sealed_with where session_id <> $1",
        [first.id]
      )
      const some = yield* cli(["secrets", "reseal", "--json"], { env: rotating })
      expect(JSON.parse(some.stdout)).toEqual({ resealed: 1, left: 11, broken: [] })
      yield* execute(
        databaseUrl,
        "update kyc_session_keys set sealed_with = substr(sealed_with, 2) where session_id <> $1",
        [first.id]
      )
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
      ).toBe(11)
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
