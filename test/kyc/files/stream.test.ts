/** Uploads byte by byte: refused early, broken off, slow, many at once. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Fiber, Stream, TestClock } from "effect"
import { Config } from "../../../src/config.ts"
import { UploadIncomplete } from "../../../src/kyc/files/errors.ts"
import { Intake } from "../../../src/kyc/files/intake.ts"
import { captureLimits } from "../../../src/kyc/instances/settings-model.ts"
import { field, type TestSession } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { open, type RawAnswer } from "../../support/http/raw.ts"
import { Given, jpegOf, samples, sha256 } from "../../support/kyc/files.ts"
import { refusal } from "../../support/kyc/partner.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

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

  it.scoped("byte by byte across the signature: 201", () =>
    Effect.gen(function* () {
      const session = yield* (yield* Given).newSession()
      const connection = yield* begin(session, "Transfer-Encoding: chunked")
      const bytes = Buffer.concat([samples.jpeg, Buffer.alloc(300, 7)])
      for (const byte of bytes) {
        connection.write(chunk(Uint8Array.of(byte)))
        yield* Effect.sleep("1 millis")
      }
      connection.write("0\r\n\r\n")
      const answer = is(yield* connection.answer)
      expect([answer.status, field(answer.body, "file", "sha256")]).toEqual([201, sha256(bytes)])
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
