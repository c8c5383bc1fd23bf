/** The export of everything that is stored about the person of a session. */
import { rm, truncate, writeFile } from "node:fs/promises"
import { describe, expect, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { archive } from "../../../src/kyc/export/archive.ts"
import { field, type TestSession, text } from "../../support/client.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { download, filesBelow, Given, samples, sha256, upload } from "../../support/kyc/files.ts"
import { make } from "../../support/kyc/handoffs.ts"
import { unzip } from "../../support/kyc/zip.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const consentText = "Ich stimme zu."

const workflow = {
  v: 1,
  id: "w",
  version: 1,
  steps: [
    { id: "terms", type: "consent", items: [{ id: "privacy", text: { en: "I agree.", de: consentText } }] },
    { id: "person", type: "form", fields: [] }
  ]
}

const consent = {
  id: "privacy",
  version: "7",
  textSha256: sha256(Buffer.from(consentText)),
  locale: "de",
  acceptedAt: "2026-11-20T10:00:00.000Z"
}

const exported = (session: Pick<TestSession, "id">, headers?: Readonly<Record<string, string>>) =>
  Effect.flatMap(Given, ({ key, server }) =>
    download(server, `/api/kyc/sessions/${session.id}/export`, headers ?? { "x-api-key": key.token })
  )

const json = (files: ReadonlyMap<string, Buffer>, name: string): unknown =>
  JSON.parse(files.get(name)?.toString() ?? "")

/** The file of the store with this content's id. */
const pathIn = (dataDir: string, name: string) => {
  const found = filesBelow(dataDir).find((path) => path.endsWith(`/${name}`))
  if (found === undefined) throw new Error(`${name} is not in the store`)
  return found
}

suite(Given.layer)("GET /api/kyc/sessions/:id/export", (it) => {
  it.effect("200: a ZIP of everything, readable without doorlock, also after the session has expired", () =>
    Effect.gen(function* () {
      const company = yield* Given
      const { instance, server } = company
      expect(
        (yield* company.asMember("PATCH", `/api/kyc/instances/${instance.id}`, {
          workflow,
          config: { review: { mode: "manual" }, legal: { consentVersion: "8" } }
        })).status
      ).toBe(200)
      const session = yield* company.newSession({
        metadata: { plan: "pro" },
        externalReference: "c-42",
        successRedirectUrl: "https://example.com/welcome"
      })
      const progress = { s_terms: { items: [consent] }, s_person: { givenName: "Ada" } }
      yield* company.progress(session, { status: "running", progress })
      const image = text((yield* upload(server, session, samples.exif)).body, "file", "id")
      const pdf = text((yield* upload(server, session, samples.pdf)).body, "file", "id")
      yield* check({ server }, session, newKeyHash())
      yield* make(company, session)
      yield* company.complete(session, { result: { outcome: "submitted", consents: [consent] } })
      const decision = { decision: "declined", reasons: ["other"], note: "Not the same person" }
      const at = `/api/kyc/sessions/${session.id}`
      const decided = yield* company.asMember("POST", `${at}/review`, decision)
      expect(decided.status).toBe(200)
      yield* company.expire(session)

      const answer = yield* exported(session)
      expect([answer.status, answer.headers.get("content-type")]).toStrictEqual([200, "application/zip"])
      expect(answer.headers.get("content-disposition")).toBe(
        `attachment; filename="session-${session.id}.zip"`
      )
      const files = unzip(answer.bytes)
      expect([...files.keys()]).toStrictEqual([
        "README.txt",
        "session.json",
        "timeline.json",
        "consents.json",
        "checks.json",
        "readings.json",
        "review.json",
        "notes.json",
        "files.json",
        `files/${image}.jpg`,
        `copies/${image}.jpg`,
        `files/${pdf}.pdf`,
        "missing.json"
      ])
      const read = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(json(files, "session.json")).toStrictEqual({
        ...Object(field(read.body, "session")),
        success_redirect_url: "https://example.com/welcome",
        failure_redirect_url: null,
        step_seconds: { terms: expect.any(Number), person: expect.any(Number) },
        browser_mark_stored_at: null
      })
      const timeline = yield* company.asPartner(`/api/kyc/sessions/${session.id}/timeline`)
      expect(json(files, "timeline.json")).toStrictEqual(field(timeline.body, "events"))
      expect(json(files, "consents.json")).toStrictEqual([
        {
          id: "privacy",
          text: consentText,
          text_sha256: consent.textSha256,
          language: "de",
          version: "8",
          // When the server received it, whatever the browser says.
          accepted_at: anInstant
        }
      ])
      expect(json(files, "checks.json")).toMatchObject({ dedup: [{ seen_count: 1 }] })
      const { claim, decided_by_email, ...review } = Object(field(decided.body, "review"))
      expect(json(files, "review.json")).toStrictEqual(review)
      const notes = yield* company.asMember("GET", `${at}/notes`)
      const { written_by_email, ...note } = Object(field(notes.body, "notes", 0))
      expect(json(files, "notes.json")).toStrictEqual([note])
      expect(note).toMatchObject({ text: "Not the same person", written_by: company.member.userId })
      // The addresses of the company's people are not data of the person.
      expect(written_by_email).toContain("@")
      for (const [name, content] of files) {
        expect([name, content.includes(written_by_email)]).toStrictEqual([name, false])
      }
      expect(files.get(`files/${image}.jpg`)).toStrictEqual(samples.exif)
      expect(files.get(`files/${pdf}.pdf`)).toStrictEqual(samples.pdf)
      const copy = yield* download(server, `/api/kyc/sessions/${session.id}/files/${image}`, {
        "x-api-key": company.key.token
      })
      expect(files.get(`copies/${image}.jpg`)).toStrictEqual(Buffer.from(copy.bytes))
      expect(json(files, "files.json")).toMatchObject([
        { name: `files/${image}.jpg`, original: true, sha256: sha256(samples.exif) },
        { name: `copies/${image}.jpg`, original: false, sha256: sha256(copy.bytes) },
        { name: `files/${pdf}.pdf`, original: true, size: samples.pdf.length }
      ])
      expect(json(files, "missing.json")).toStrictEqual([])

      // Of a redacted session, what is left.
      expect((yield* company.asMember("POST", `${at}/redact`)).status).toBe(200)
      const left = unzip((yield* exported(session)).bytes)
      expect([...left.keys()].filter((name) => name.includes("/"))).toStrictEqual([])
      expect(json(left, "session.json")).toMatchObject({ id: session.id, progress: null, metadata: null })
      expect(json(left, "review.json")).toMatchObject({ decision: "declined", reasons: ["other"] })
      for (const name of ["notes.json", "consents.json", "files.json", "missing.json"]) {
        expect([name, json(left, name)]).toStrictEqual([name, []])
      }
      expect([...left.values()].join()).not.toMatch(/"Ada"|"pro"|same person/)
    })
  )

  it.effect("a missing and a changed file are named in the ZIP, which has everything else", () =>
    Effect.gen(function* () {
      const { dataDir, newSession, server } = yield* Given
      const session = yield* newSession()
      const ids: Array<string> = []
      for (let i = 0; i < 4; i++) {
        ids.push(text((yield* upload(server, session, samples.pdf)).body, "file", "id"))
      }
      const [gone = "", changed = "", cut = "", whole = ""] = ids
      yield* Effect.promise(async () => {
        await rm(pathIn(dataDir, gone))
        await writeFile(pathIn(dataDir, changed), "something else")
        await truncate(pathIn(dataDir, cut), 5)
      })
      const files = unzip((yield* exported(session)).bytes)
      const named = (id: string) => ({ name: `files/${id}.pdf`, sha256: sha256(samples.pdf) })
      expect(json(files, "missing.json")).toStrictEqual([
        { ...named(gone), why: "not found" },
        { ...named(changed), why: "changed" },
        { ...named(cut), why: "changed" }
      ])
      expect(files.has(`files/${gone}.pdf`)).toBe(false)
      expect(files.get(`files/${whole}.pdf`)).toStrictEqual(samples.pdf)
    })
  )
})

describe("a reader that goes away", () => {
  plainIt("closes a file that stands still", async () => {
    const seen = { closed: false }
    const asked = Promise.withResolvers<void>()
    const content = new ReadableStream<Uint8Array>(
      {
        pull: () => {
          asked.resolve()
          return new Promise(() => {})
        },
        cancel: () => {
          seen.closed = true
        }
      },
      { highWaterMark: 0 }
    )
    const reader = archive({}, [{ name: "first", sha256: "", open: async () => content }]).getReader()
    const reading = (async () => {
      while (!(await reader.read()).done);
    })()
    await asked.promise
    await reader.cancel()
    await reading
    expect(seen).toStrictEqual({ closed: true })
  })

  plainIt("a file that breaks off in the middle is named as incomplete", async () => {
    let parts = 3
    const content = new ReadableStream<Uint8Array>({
      pull: (sink) => {
        if (parts-- > 0) sink.enqueue(new Uint8Array(10))
        else sink.error(new Error("the bucket is away"))
      }
    })
    const zip = archive({}, [{ name: "first", sha256: "x", open: async () => content }])
    const files = unzip(await new Response(zip).bytes())
    expect(files.get("first")?.length).toBe(30)
    expect(json(files, "missing.json")).toStrictEqual([{ name: "first", sha256: "x", why: "incomplete" }])
  })
})
