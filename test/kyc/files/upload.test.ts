/** Uploading a file: success, refusals because of the session or its files; and byte by byte: refused early, broken off, slow. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Fiber, Stream, TestClock } from "effect"
import { Config } from "../../../src/config.ts"
import { UploadIncomplete } from "../../../src/kyc/files/errors.ts"
import { Intake } from "../../../src/kyc/files/intake.ts"
import { captureLimits } from "../../../src/kyc/instances/settings-model.ts"
import {
  createInstance,
  createSession,
  field,
  onboard,
  type TestSession,
  text
} from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { open, type RawAnswer } from "../../support/http/raw.ts"
import { filesBelow, Given, jpegOf, samples, sha256, upload } from "../../support/kyc/files.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { startServer } from "../../support/server.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"
import { withTimes } from "../../support/timing.ts"

/** A session of an instance with a config of its own. */
const sessionOf = (config: object) =>
  Effect.gen(function* () {
    const { key, member, server } = yield* Given
    const { id } = yield* createInstance(server, member, { config })
    return yield* createSession(server, key.token, id)
  })

suite(Given.layer)("Uploading a file", (it) => {
  it.effect(
    "201: the type from its first bytes; on disk under its id, with permissions for its owner only",
    () =>
      Effect.gen(function* () {
        const { dataDir, newSession, server } = yield* Given
        const session = yield* newSession()
        const bytes = jpegOf(300_000)
        const answer = yield* upload(server, session, bytes, { "content-type": "application/json" })
        expect(statusAndBody(answer)).toStrictEqual({
          status: 201,
          body: {
            file: {
              id: anId,
              content_type: "image/jpeg",
              size: 300_000,
              sha256: sha256(bytes),
              created_at: anInstant
            }
          }
        })
        expect(answer.headers.get("access-control-allow-origin")).toBe("*")
        const id = text(answer.body, "file", "id")
        const [path = ""] = filesBelow(join(dataDir, "files")).filter((file) => file.endsWith(id))
        expect(path).toBe(join(dataDir, "files", id.slice(-2), id))
        expect(statSync(path).mode & 0o777).toBe(0o600)
        const stored = Buffer.from(yield* Effect.promise(() => Bun.file(path).bytes()))
        expect([stored.length > bytes.length, stored.includes(bytes.subarray(0, 100))]).toEqual([true, false])
        expect(filesBelow(join(dataDir, "files", "incoming"))).toEqual([])
      })
  )

  it.effect("400 empty, 409 finished, even once expired, 410 expired; before the body", () =>
    Effect.gen(function* () {
      const { complete, expire, expiredSession, newSession, server } = yield* Given
      const session = yield* newSession()
      expect(statusAndBody(yield* upload(server, session, Buffer.alloc(0)))).toStrictEqual(
        refusal(400, "File is empty")
      )
      const finished = refusal(409, "Session is not updatable")
      yield* complete(session)
      expect(statusAndBody(yield* upload(server, session, Buffer.from("x")))).toStrictEqual(finished)
      yield* expire(session)
      expect(statusAndBody(yield* upload(server, session, samples.jpeg))).toStrictEqual(finished)
      expect(statusAndBody(yield* upload(server, yield* expiredSession(), Buffer.from("x")))).toStrictEqual(
        refusal(410, "Session expired")
      )
    })
  )

  it.effect("capture.maxBytes and capture.mime of the config the session was created with", () =>
    Effect.gen(function* () {
      const { asMember, key, member, server } = yield* Given
      const instance = yield* createInstance(server, member, {
        config: { capture: { maxBytes: 100, mime: ["image/png"] } }
      })
      const session = yield* createSession(server, key.token, instance.id)
      yield* asMember("PATCH", `/api/kyc/instances/${instance.id}`, { config: {} })
      expect((yield* upload(server, session, samples.png)).status).toBe(201)
      expect(statusAndBody(yield* upload(server, session, samples.webp))).toStrictEqual(
        refusal(415, "File type is not accepted")
      )
      expect(
        statusAndBody(yield* upload(server, session, Buffer.concat([samples.png, Buffer.alloc(100)])))
      ).toStrictEqual(refusal(413, "File is too large"))
    })
  )

  it.effect("413: never more than 20 MiB, the highest limit that an instance may set", () =>
    Effect.gen(function* () {
      const { server } = yield* Given
      const session = yield* sessionOf({ capture: { maxBytes: 20_971_520 } })
      expect((yield* upload(server, session, jpegOf(20_971_520))).status).toBe(201)
      expect(statusAndBody(yield* upload(server, session, jpegOf(20_971_521)))).toStrictEqual(
        refusal(413, "File is too large")
      )
    })
  )

  it.effect(
    "429 Too many files: no more than 40, however many at once, but those of a process that has died",
    () =>
      Effect.gen(function* () {
        const { asPartner, newSession, server } = yield* Given
        const session = yield* newSession()
        const ask = (statement: string) => execute(server.databaseUrl, statement, [session.id])
        const put = upload(server, session, jpegOf(20_000))
        const tooMany = refusal(429, "Too many files")
        yield* ask(
          `insert into kyc_file_uploads (id, session_id, alive_until)
         select gen_random_uuid(), $1, now() + interval '1 hour' from generate_series(1, 32)`
        )
        yield* ask("update kyc_sessions set files_begun = 32 where id = $1")
        const answers = yield* Effect.replicateEffect(put, 16, { concurrency: 8 })
        const refused = answers.filter(({ status }) => status !== 201)
        expect(refused.map(statusAndBody)).toStrictEqual(Array(8).fill(tooMany))
        yield* ask(
          `update kyc_file_uploads set alive_until = now() - interval '1 second'
         where id in (select id from kyc_file_uploads where session_id = $1 limit 2)`
        )
        const more = yield* Effect.replicateEffect(put, 3)
        expect(more.map(({ status }) => status)).toEqual([201, 201, 429])
        expect(statusAndBody(yield* put)).toStrictEqual(tooMany)
        expect(yield* ask("select files_begun from kyc_sessions where id = $1")).toEqual([
          { files_begun: 40 }
        ])
        const { body } = yield* asPartner(`/api/kyc/sessions/${session.id}/files`)
        expect(field(body, "files")).toHaveLength(10)
      })
  )

  it.effect("refused uploads occupy no place", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Given
      const session = yield* newSession()
      for (let i = 0; i < 41; i++) {
        expect((yield* upload(server, session, Buffer.from("text"))).status).toBe(415)
      }
      expect((yield* upload(server, session, samples.png)).status).toBe(201)
    })
  )
})

/** A connection on which the head of an upload has been sent. */
const begin = ({ path, token }: TestSession, ...lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const connection = yield* open((yield* Given).server)
    const head = [
      `POST ${path}/files HTTP/1.1`,
      "Host: doorlock.test",
      `Authorization: Bearer ${token}`,
      ...lines
    ]
    connection.write(`${head.join("\r\n")}\r\n\r\n`)
    return connection
  })

const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])

const is = ({ body, status }: RawAnswer) => ({ status, body: JSON.parse(body) })

const incoming = Effect.map(Given, ({ dataDir }) => {
  try {
    return readdirSync(join(dataDir, "files", "incoming"))
  } catch {
    return []
  }
})

const count = (table: string, { id }: TestSession) =>
  Effect.flatMap(Given, ({ server }) =>
    Effect.map(
      Effect.orDie(
        execute(server.databaseUrl, `select count(*)::int as n from ${table} where session_id = $1`, [id])
      ),
      ([row]) => field(row, "n")
    )
  )

/** Nothing of an upload is left, in the database or on disk. */
const nothingLeft = (session: TestSession) =>
  eventually(
    "nothing is left of the upload",
    Effect.gen(function* () {
      const rows = [yield* count("kyc_files", session), yield* count("kyc_file_uploads", session)]
      return rows.every((n) => n === 0) && (yield* incoming).length === 0
    })
  )

suite(Given.layer)("Uploads on the wire", (it) => {
  it.scoped("Content-Length: 413 before any of the body is sent", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Given).newSession()
      const connection = yield* begin(session, "Content-Length: 5242881")
      expect(is(yield* connection.answer)).toEqual(refusal(413, "File is too large"))
      yield* nothingLeft(session)
    })
  )

  it.scoped("chunks without an end: 413 at the first byte too many", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Given).newSession()
      const connection = yield* begin(session, "Transfer-Encoding: chunked")
      const bytes = jpegOf(5_242_881)
      for (let at = 0; at < bytes.length; at += 65_536)
        connection.write(chunk(bytes.subarray(at, at + 65_536)))
      expect(is(yield* connection.answer)).toEqual(refusal(413, "File is too large"))
      yield* nothingLeft(session)
    })
  )

  it.scoped("415 as soon as the type is known, before the rest arrives", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Given).newSession()
      const connection = yield* begin(session, "Content-Length: 5000000", "Content-Type: image/jpeg")
      connection.write(Buffer.alloc(300, "<html>"))
      expect(is(yield* connection.answer)).toEqual(refusal(415, "File type is not accepted"))
      yield* nothingLeft(session)
    })
  )

  it.scoped("404 before any of the body is sent; the connection stays usable when the body arrives", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Given).newSession()
      const connection = yield* begin({ ...session, token: "x" }, "Content-Length: 3000000")
      expect(is(yield* connection.answer)).toEqual(refusal(404, "Session not found"))
      connection.write(jpegOf(3_000_000))
      connection.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      expect((yield* connection.answer).status).toBe(200)
    })
  )

  for (const framing of ["Content-Length: 100000", "Transfer-Encoding: chunked"]) {
    it.effect(
      `${framing.split(":")[0]}: a client that disconnects leaves nothing behind, and frees its place`,
      () =>
        Effect.gen(function* () {
          const session = yield* (yield* Given).newSession()
          for (let i = 0; i < 2; i++) {
            yield* Effect.scoped(
              Effect.gen(function* () {
                const connection = yield* begin(session, framing)
                connection.write(framing.startsWith("C") ? jpegOf(50_000) : chunk(jpegOf(50_000)))
                yield* eventually(
                  "it arrives",
                  Effect.map(incoming, (names) => names.length > 0)
                )
              })
            )
            yield* nothingLeft(session)
          }
        })
    )
  }

  it.scoped("a session that ends while its file arrives: 409 or 410, and nothing is kept", () =>
    Effect.gen(function* () {
      const { complete, expire, newSession } = yield* Given
      for (const [end, expected] of [
        [
          (session: TestSession) => Effect.asVoid(complete(session)),
          refusal(409, "Session is not updatable")
        ],
        [(session: TestSession) => Effect.asVoid(expire(session)), refusal(410, "Session expired")]
      ] as const) {
        const session = yield* newSession()
        const bytes = jpegOf(10_000)
        const connection = yield* begin(session, "Content-Length: 10000")
        connection.write(bytes.subarray(0, 5_000))
        yield* eventually(
          "it has begun",
          Effect.map(incoming, (names) => names.length > 0)
        )
        yield* end(session)
        connection.write(bytes.subarray(5_000))
        expect(is(yield* connection.answer)).toEqual(expected)
        yield* nothingLeft(session)
      }
    })
  )
})

it.scoped("An upload that takes ten minutes is aborted, and nothing of it stays", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const intake = yield* Intake
      const endless = Stream.concat(Stream.make(samples.jpeg), Stream.never)
      const receiving = yield* Effect.fork(intake.receive("an-id", endless, captureLimits(undefined)))
      // The file has to be made first.
      while (Chunk.isEmpty(yield* TestClock.sleeps())) yield* Effect.promise(() => Bun.sleep(1))
      yield* TestClock.adjust("9 minutes")
      expect(yield* Fiber.poll(receiving)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 minutes")
      expect(yield* Fiber.await(receiving)).toEqual(Exit.fail(new UploadIncomplete()))
    }).pipe(Effect.provide(Intake.Default), Effect.provide(Config.layer({ DATA_DIR: dataDir })))
  })
)

it.scopedLive("a process keeps reporting that it is alive for as long as an upload lasts", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ DATA_DIR: yield* temporaryFolder }).pipe(
      withTimes({ pauses: { "kyc.upload_heartbeat": 20 } })
    )
    const { session } = yield* onboard(server)
    const connection = yield* open(server)
    connection.write(
      `POST ${session.path}/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${session.token}\r\nContent-Length: 100000\r\n\r\n`
    )
    connection.write(jpegOf(60_000))
    const alive = execute(server.databaseUrl, "select alive_until > now() as alive from kyc_file_uploads")
    const isAlive = ([upload]: Effect.Effect.Success<typeof alive>) => upload?.alive === true
    yield* eventually("it has begun", alive, isAlive)
    for (let time = 0; time < 2; time++) {
      yield* execute(
        server.databaseUrl,
        "update kyc_file_uploads set alive_until = now() - interval '1 second'"
      )
      yield* eventually("it is renewed", alive, isAlive)
    }
  })
)

describe("captureLimits, also of configs from before they were checked", () => {
  const [maxBytes, types] = [5_242_880, ["image/jpeg", "image/png", "application/pdf"]]
  for (const [capture, expected] of [
    [undefined, {}],
    [null, {}],
    ["x", {}],
    [{ maxBytes: "1", mime: "image/png" }, {}],
    [{ maxBytes: 0 }, {}],
    [{ maxBytes: 1.9 }, {}],
    [{ maxBytes: 20_971_521 }, {}],
    [{ mime: [] }, {}],
    [{ maxBytes: "1", mime: ["image/png"] }, { types: ["image/png"] }],
    [{ maxBytes: 20_971_520, mime: ["image/webp", "text/html"] }, { maxBytes: 20_971_520 }]
  ] as const) {
    it(JSON.stringify(capture) ?? "undefined", () => {
      expect(captureLimits(capture)).toEqual({ maxBytes, types, ...expected })
    })
  }
})
