/** Uploading a file: success, and refusals because of the session or the size, type or number of its files. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { captureLimits } from "../../../src/kyc/instances/settings-model.ts"
import { createInstance, createSession, field, onboard, send, text } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { open } from "../../support/http/raw.ts"
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
        const answer = yield* upload(server, session, bytes, { "content-type": "text/html" })
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

  it.effect("the declared type is ignored, and the rules for JSON bodies do not apply", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Given
      const session = yield* newSession()
      for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", "image/png"]) {
        const answer = yield* upload(server, session, jpegOf(2_000_000), { "content-type": type })
        expect([type, answer.status]).toEqual([type, 201])
        expect(field(answer.body, "file", "content_type")).toBe("image/jpeg")
      }
    })
  )

  it.effect("404 Session not found: no token, or one that is not a bearer's; before the body", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Given
      const { path, token } = yield* newSession()
      for (const headers of [{}, { authorization: "Bearer" }, { authorization: `Basic ${token}` }]) {
        const answer = yield* send(server, "POST", `${path}/files?token=${token}`, {
          headers,
          body: Buffer.from("no picture")
        })
        expect(statusAndBody(answer)).toStrictEqual(refusal(404, "Session not found"))
      }
    })
  )

  it.effect("409 Session is not updatable: finished, even once expired; before the body", () =>
    Effect.gen(function* () {
      const { complete, expire, newSession, server } = yield* Given
      const session = yield* newSession()
      yield* complete(session)
      expect(statusAndBody(yield* upload(server, session, Buffer.from("x")))).toStrictEqual(
        refusal(409, "Session is not updatable")
      )
      yield* expire(session)
      expect(statusAndBody(yield* upload(server, session, samples.jpeg))).toStrictEqual(
        refusal(409, "Session is not updatable")
      )
    })
  )

  it.effect("410 Session expired; before the body", () =>
    Effect.gen(function* () {
      const { expiredSession, server } = yield* Given
      const session = yield* expiredSession()
      for (const body of [samples.jpeg, Buffer.from("x"), Buffer.alloc(0)]) {
        expect(statusAndBody(yield* upload(server, session, body))).toStrictEqual(
          refusal(410, "Session expired")
        )
      }
    })
  )

  it.effect("400 File is empty", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Given
      const { path, token } = yield* newSession()
      const headers = { authorization: `Bearer ${token}` }
      for (const body of [Buffer.alloc(0), undefined]) {
        const answer = yield* send(server, "POST", `${path}/files`, {
          headers,
          ...(body === undefined ? {} : { body })
        })
        expect(statusAndBody(answer)).toStrictEqual(refusal(400, "File is empty"))
      }
    })
  )

  it.effect("413 File is too large: 5 MiB by default, to the byte", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Given
      const session = yield* newSession()
      expect((yield* upload(server, session, jpegOf(5_242_880))).status).toBe(201)
      expect(statusAndBody(yield* upload(server, session, jpegOf(5_242_881)))).toStrictEqual(
        refusal(413, "File is too large")
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

  it.effect("415 File type is not accepted: a HEIC, which no instance accepts", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Given
      const heic = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic")
      const answer = yield* upload(server, yield* newSession(), heic, { "content-type": "image/heic" })
      expect(statusAndBody(answer)).toStrictEqual(refusal(415, "File type is not accepted"))
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
    "429 Too many files: beside 32 others, of 16 that come eight at a time, 8 are accepted and no more",
    () =>
      Effect.gen(function* () {
        const { asPartner, newSession, server } = yield* Given
        const session = yield* newSession()
        yield* execute(
          server.databaseUrl,
          `insert into kyc_file_uploads (id, session_id, alive_until)
         select gen_random_uuid(), $1, now() + interval '1 hour' from generate_series(1, 32)`,
          [session.id]
        )
        yield* execute(server.databaseUrl, "update kyc_sessions set files_begun = 32 where id = $1", [
          session.id
        ])
        const answers = yield* Effect.forEach(
          Array.from({ length: 16 }, () => jpegOf(20_000)),
          (bytes) => upload(server, session, bytes),
          { concurrency: 8 }
        )
        const refused = answers.filter(({ status }) => status !== 201)
        expect(refused.map(statusAndBody)).toStrictEqual(Array(8).fill(refusal(429, "Too many files")))
        expect(statusAndBody(yield* upload(server, session, samples.png))).toStrictEqual(
          refusal(429, "Too many files")
        )
        const { body } = yield* asPartner(`/api/kyc/sessions/${session.id}/files`)
        expect(field(body, "files")).toHaveLength(8)
      })
  )

  it.effect("429 Too many files, unless the process that received some of them has died", () =>
    Effect.gen(function* () {
      const { newSession, server } = yield* Given
      const session = yield* newSession()
      const ask = (statement: string) => execute(server.databaseUrl, statement, [session.id])
      yield* ask(
        `insert into kyc_file_uploads (id, session_id, alive_until)
         select gen_random_uuid(), $1, now() + interval '1 hour' from generate_series(1, 40)`
      )
      yield* ask("update kyc_sessions set files_begun = 40 where id = $1")
      expect(statusAndBody(yield* upload(server, session, samples.png))).toStrictEqual(
        refusal(429, "Too many files")
      )
      yield* ask(
        `update kyc_file_uploads set alive_until = now() - interval '1 second'
         where id in (select id from kyc_file_uploads where session_id = $1 limit 2)`
      )
      expect((yield* upload(server, session, samples.png)).status).toBe(201)
      expect((yield* upload(server, session, samples.png)).status).toBe(201)
      expect(statusAndBody(yield* upload(server, session, samples.png))).toStrictEqual(
        refusal(429, "Too many files")
      )
      expect(yield* ask("select files_begun from kyc_sessions where id = $1")).toEqual([{ files_begun: 40 }])
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
