/** Receipts of end users: what they say, and who can verify them. */

import { writeFile } from "node:fs/promises"
import { join as joinPath } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CompactSign, compactVerify, createLocalJWKSet, type JSONWebKeySet } from "jose"
import { newKey, publicKey } from "../../../src/kyc/receipts/signature.ts"
import { receiptType } from "../../../src/kyc/receipts/type-model.ts"
import { cli, jsonOf, onDatabase } from "../../support/cli.ts"
import { createInstance, createSession, field, send, type TestSession, text } from "../../support/client.ts"
import { samples, sha256, upload } from "../../support/kyc/files.ts"
import { Partner, refusal, startCompany, statusAndBody } from "../../support/kyc/partner.ts"
import { reviewerOf, reviewingCompany, waitingSession } from "../../support/kyc/reviews.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import type { RunningServer } from "../../support/server.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const words = "I agree that my details are checked."
const ownWords =
  "I agree that my personal details and images of my document are processed to verify my identity."

const config = {
  legal: { company: "Acme Bank", privacyUrl: "https://acme.test/privacy", consentVersion: "7" },
  retention: { finishedDays: 30, filesDays: 10 }
}

const workflow = {
  v: 1,
  id: "w",
  version: 1,
  steps: [
    { id: "terms", type: "consent", items: [{ id: "privacy", text: { en: words } }] },
    {
      id: "about",
      type: "form",
      fields: [
        { id: "givenName", type: "text" },
        { id: "income", type: "text" }
      ]
    },
    { id: "doc", type: "document" },
    { id: "face", type: "selfie" }
  ]
}

const consent = (id: string, shown: string) => ({
  id,
  version: "7",
  textSha256: sha256(Buffer.from(shown)),
  locale: "en",
  acceptedAt: "2026-11-20T10:00:00.000Z"
})

/** Everything in it is marked, so that none of it may be in a receipt. */
const progress = {
  s_terms: { items: [consent("privacy", words)] },
  s_about: { givenName: "MARKED Ada", income: "MARKED 1", "MARKED name": "x", empty: "" },
  s_doc: { type: "MARKED passport", number: "MARKED 4711", files: [{ id: "MARKED file" }] },
  s_face: { skipped: true },
  "s_MARKED step": { a: 1 }
}

const receiptOf = (server: RunningServer, { path, token }: TestSession) =>
  send(server, "POST", `${path}/receipt`, { json: { token } })

const keysOf = (server: RunningServer) => send(server, "GET", "/.well-known/doorlock-receipts.json")

/** The payload, unverified. */
const read = (receipt: string): unknown =>
  JSON.parse(Buffer.from(receipt.split(".")[1] ?? "", "base64url").toString())

/** By the command, which needs nothing but a file and the published keys. */
const verified = (receipt: string, keys: unknown, exitCode = 0) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const [file, keyFile] = [joinPath(folder, "receipt.jws"), joinPath(folder, "keys.json")]
    yield* Effect.promise(() => writeFile(file, `${receipt}\n`))
    yield* Effect.promise(() => writeFile(keyFile, JSON.stringify(keys)))
    return yield* cli(["receipt", "verify", file, "--keys", keyFile, "--json"], { exitCode })
  })

const finished = Effect.gen(function* () {
  const company = yield* Partner
  const { key, member, server } = company
  const { id } = yield* createInstance(server, member, { config, workflow })
  const session = yield* createSession(server, key.token, id, {
    externalReference: "MARKED reference",
    metadata: { plan: "MARKED plan" }
  })
  yield* company.progress(session, { status: "running", progress })
  yield* upload(server, session, samples.pdf)
  yield* company.complete(session, { result: { outcome: "submitted", person: { a: "MARKED result" } } })
  return { company, session, server }
})

suite(Partner.layer)("POST /api/kyc/public/sessions/:sessionId/receipt", (it) => {
  it.effect("200: who asked, for what, which kinds of data, until when; none of the data", () =>
    Effect.gen(function* () {
      const { company, server, session } = yield* finished
      const answer = yield* receiptOf(server, session)
      expect(answer.status).toBe(200)
      const receipt = text(answer.body, "receipt")
      const completedAt = text(
        (yield* company.asPartner(`/api/kyc/sessions/${session.id}`)).body,
        "session",
        "completed_at"
      )
      const days = (count: number) => new Date(Date.parse(completedAt) + count * 86_400_000).toISOString()
      expect(read(receipt)).toStrictEqual({
        v: 1,
        issuer: expect.stringMatching(/^http/),
        session: {
          id: session.id,
          mode: "prod",
          status: "completed",
          created_at: anInstant,
          completed_at: completedAt
        },
        asked_by: { company: "Acme Bank", privacy_notice: "https://acme.test/privacy" },
        consents: [
          {
            id: "privacy",
            text: words,
            text_sha256: sha256(Buffer.from(words)),
            language: "en",
            version: "7",
            // When the server received it, whatever the browser says.
            accepted_at: anInstant
          }
        ],
        handed_over: expect.toSatisfy((all: ReadonlyArray<unknown>) => all.length === 3),
        files: 1,
        kept_until: { data: days(30), files: days(10) }
      })
      expect(field(read(receipt), "handed_over")).toEqual(
        expect.arrayContaining([
          { kind: "form", fields: expect.arrayContaining(["givenName", "income"]) },
          { kind: "document", fields: expect.arrayContaining(["type", "number", "files"]) },
          { kind: "other", fields: [] }
        ])
      )
      expect(JSON.stringify(read(receipt))).not.toContain("MARKED")
      const { created_at, completed_at } = Object(field(read(receipt), "session"))
      const acceptedAt = Date.parse(text(read(receipt), "consents", 0, "accepted_at"))
      // The time of a step is stored in whole seconds.
      expect(acceptedAt).toBeGreaterThanOrEqual(Date.parse(created_at) - 1000)
      expect(acceptedAt).toBeLessThanOrEqual(Date.parse(completed_at) + 1000)
      // The same again, because it is stored nowhere.
      expect(text((yield* receiptOf(server, session)).body, "receipt")).toBe(receipt)
    })
  )

  it.effect("200: the page's own flow has its own words, and the company's name; no end is set", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession()
      const items = [consent("terms", ownWords), consent("other", ownWords)]
      yield* company.progress(session, { progress: { s_consent: { items }, s_person: { givenName: "A" } } })
      yield* company.complete(session, { status: "failed" })
      const receipt = read(text((yield* receiptOf(company.server, session)).body, "receipt"))
      expect(receipt).toMatchObject({
        session: { status: "failed" },
        asked_by: { company: "Acme", privacy_notice: null },
        // Neither a consent nor a version that the workflow and the config do not have.
        consents: [{ id: "terms", text: ownWords, version: "1" }],
        handed_over: [{ kind: "form", fields: ["givenName"] }],
        kept_until: { data: null, files: null }
      })
    })
  )

  it.effect("200: null in the config hides nothing else; words that the workflow lacks are not signed", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const { key, member, server } = company
      const { id } = yield* createInstance(server, member, {
        config: {
          legal: { ...config.legal, privacyUrl: null },
          retention: { finishedDays: 30, filesDays: null }
        },
        workflow
      })
      const session = yield* createSession(server, key.token, id)
      yield* company.complete(session, { result: { consents: [consent("privacy", "never shown")] } })
      const receipt = read(text((yield* receiptOf(server, session)).body, "receipt"))
      const completedAt = text(receipt, "session", "completed_at")
      const end = new Date(Date.parse(completedAt) + 30 * 86_400_000).toISOString()
      const unsigned = { text: null, text_sha256: null, language: null, version: null }
      expect(receipt).toMatchObject({
        asked_by: { company: "Acme Bank", privacy_notice: null },
        kept_until: { data: end, files: end },
        consents: [{ id: "privacy", ...unsigned, accepted_at: completedAt }]
      })
    })
  )

  it.effect("200: no end is known of answers that a resubmission has, too", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const company = yield* reviewingCompany(server)
      yield* company.asMember("PATCH", `/api/kyc/instances/${company.instance.id}`, {
        config: { v: 1, review: { mode: "manual" }, retention: { finishedDays: 1 } }
      })
      const session = yield* waitingSession(company)
      const keptUntil = Effect.map(receiptOf(server, session), ({ body }) =>
        field(read(text(body, "receipt")), "kept_until")
      )
      expect(yield* keptUntil).toEqual({ data: anInstant, files: anInstant })
      const { decide } = yield* reviewerOf(company)
      yield* decide(session, { decision: "resubmission", reasons: ["photo_unreadable"], steps: ["document"] })
      expect(yield* keptUntil).toEqual({ data: null, files: null })
    })
  )

  it.effect("404 for a wrong token, 409 before the end, 410 after the session's lifetime", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const session = yield* company.newSession()
      const asked = (token = session.token) =>
        Effect.map(receiptOf(company.server, { ...session, token }), statusAndBody)
      expect(yield* asked("x")).toStrictEqual(refusal(404, "Session not found"))
      expect(yield* asked()).toStrictEqual(refusal(409, "Session is not finished"))
      yield* company.complete(session)
      yield* company.expire(session)
      expect(yield* asked()).toStrictEqual(refusal(410, "Session expired"))
    })
  )
})

suite(Partner.layer)("the signature of a receipt", (it) => {
  it.scoped("verifies with nothing but the file and the published keys; an altered receipt does not", () =>
    Effect.gen(function* () {
      const { server, session } = yield* finished
      const receipt = text((yield* receiptOf(server, session)).body, "receipt")
      const keys = (yield* keysOf(server)).body
      const good = yield* verified(receipt, keys)
      expect(jsonOf(good)).toStrictEqual({ valid: true, receipt: read(receipt) })
      // With nothing of doorlock.
      const { payload } = yield* Effect.promise(() =>
        compactVerify(receipt, createLocalJWKSet(keys as JSONWebKeySet), { algorithms: ["EdDSA"] })
      )
      expect(JSON.parse(Buffer.from(payload).toString())).toStrictEqual(read(receipt))

      const [head = "", body = "", signature = ""] = receipt.split(".")
      const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const other = { ...Object(read(receipt)), asked_by: { company: "Evil Ltd", privacy_notice: null } }
      const forged = {
        "another payload": [head, encoded(other), signature],
        "no signature": [head, body, ""],
        "alg none": [encoded({ alg: "none" }), body, ""],
        "an unknown key": [
          encoded({ alg: "EdDSA", kid: crypto.randomUUID(), typ: receiptType }),
          body,
          signature
        ]
      }
      for (const [name, parts] of Object.entries(forged)) {
        const refused = yield* verified(parts.join("."), keys, 1)
        expect([name, refused.stdout]).toStrictEqual([
          name,
          expect.stringContaining("The receipt is not valid")
        ])
      }
      const strangers = {
        keys: [{ ...Object(field(keys, "keys", 0)), x: Buffer.alloc(32, 7).toString("base64url") }]
      }
      yield* verified(receipt, strangers, 1)
      // The same bytes, rightly signed as something else.
      const key = newKey()
      const otherType = yield* Effect.promise(() =>
        new CompactSign(Buffer.from(body, "base64url"))
          .setProtectedHeader({ alg: "EdDSA", kid: "k", typ: "JWT" })
          .sign({ ...key, alg: "EdDSA" })
      )
      yield* verified(otherType, { keys: [publicKey("k", key.x)] }, 1)
    })
  )
})

it.scopedLive("keys rotate without breaking earlier receipts; the private part is stored encrypted", () =>
  Effect.gen(function* () {
    const { complete, newSession, server } = yield* startCompany()
    const issue = Effect.gen(function* () {
      return text((yield* receiptOf(server, yield* Effect.tap(newSession(), complete))).body, "receipt")
    })
    expect((yield* keysOf(server)).body).toStrictEqual({ keys: [] })
    const first = yield* issue
    const [stored] = yield* execute(
      server.databaseUrl,
      "select encode(sealed, 'escape') as sealed from receipt_keys"
    )
    expect(stored?.sealed).not.toContain("Ed25519")

    // A key that does not open is replaced, as after a change of SECRET_KEY.
    yield* execute(server.databaseUrl, "update receipt_keys set sealed = decode(repeat('00', 60), 'hex')")
    const second = yield* issue
    yield* cli(["receipt", "rotate", "--json"], onDatabase(server.databaseUrl))
    const third = yield* issue
    const kidOf = (receipt: string) =>
      text(JSON.parse(Buffer.from(receipt.split(".")[0] ?? "", "base64url").toString()), "kid")
    const keys = (yield* keysOf(server)).body
    expect([0, 1, 2].map((at) => text(keys, "keys", at, "kid"))).toStrictEqual(
      [third, second, first].map(kidOf)
    )
    for (const receipt of [first, second, third]) yield* verified(receipt, keys)

    // The installation itself needs no file of keys.
    const file = joinPath(yield* temporaryFolder, "receipt.jws")
    yield* Effect.promise(() => writeFile(file, first))
    const own = yield* cli(["receipt", "verify", file], onDatabase(server.databaseUrl))
    expect(own.stdout).toContain("Acme")

    // Requests at the same time agree on one key.
    yield* execute(server.databaseUrl, "update receipt_keys set retired_at = now() where retired_at is null")
    const many = yield* Effect.all([issue, issue, issue, issue], { concurrency: "unbounded" })
    expect(new Set(many.map(kidOf)).size).toBe(1)
  })
)
