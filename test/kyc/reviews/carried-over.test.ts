/** What a session that asks for some steps again has from the sessions before it. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, field, send, text } from "../../support/client.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { download, samples, sha256, upload } from "../../support/kyc/files.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { opened, reviewerOf, reviewingCompany } from "../../support/kyc/reviews.ts"
import { unzip } from "../../support/kyc/zip.ts"
import { TestServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

const words = "I agree that my details are checked."

const workflow = {
  v: 1,
  steps: [
    { id: "terms", type: "consent", items: [{ id: "privacy", text: { en: words } }] },
    { id: "about", type: "form", fields: [{ id: "name", type: "text" }] },
    { id: "doc", type: "document" },
    { id: "face", type: "selfie" }
  ]
}
const stepIds = workflow.steps.map(({ id }) => id)

const idsIn = (list: unknown): ReadonlyArray<string> =>
  Array.isArray(list) ? list.map((one) => text(one, "id")) : []

const company = Effect.gen(function* () {
  const given = yield* reviewingCompany(yield* TestServer)
  const { server } = given
  const { id: instanceId } = yield* createInstance(server, given.member, {
    config: { review: { mode: "manual" }, legal: { consentVersion: "7" } },
    workflow
  })
  const { decide, read } = yield* reviewerOf(given)
  const uploaded = (session: { readonly path: string; readonly token: string }) =>
    Effect.map(upload(server, session, samples.pdf), ({ body }) => text(body, "file", "id"))
  const sessionOf = ({ id }: { readonly id: string }) =>
    Effect.map(given.asPartner(`/api/kyc/sessions/${id}`), ({ body }) => field(body, "session"))
  const filesOf = ({ id }: { readonly id: string }) =>
    Effect.map(given.asPartner(`/api/kyc/sessions/${id}/files`), ({ body }) => field(body, "files"))
  const fileOf = ({ id }: { readonly id: string }, fileId: string) =>
    given.asPartner(`/api/kyc/sessions/${id}/files/${fileId}`)
  const timelineOf = ({ id }: { readonly id: string }) =>
    Effect.map(given.asPartner(`/api/kyc/sessions/${id}/timeline`), ({ body }) => field(body, "events"))
  const receiptOf = ({
    path,
    token
  }: {
    readonly path: string
    readonly token: string
  }): Effect.Effect<unknown> =>
    Effect.map(send(server, "POST", `${path}/receipt`, { json: { token } }), ({ body }) =>
      JSON.parse(Buffer.from(text(body, "receipt").split(".")[1] ?? "", "base64url").toString())
    )

  /** A completed session with answers to all steps; its document and its selfie have one file each. */
  const first = Effect.gen(function* () {
    const session = yield* given.newSession({
      instanceId,
      successRedirectUrl: "https://example.com/welcome"
    })
    const [front, face] = [yield* uploaded(session), yield* uploaded(session)]
    yield* given.progress(session, {
      status: "running",
      progress: {
        s_terms: {
          items: [{ id: "privacy", textSha256: sha256(Buffer.from(words)), locale: "en", version: "7" }]
        },
        s_about: { name: "Ada" },
        s_doc: { type: "passport", files: [{ id: front, side: "front" }] },
        s_face: { files: [{ id: face, prompt: "straight" }] }
      }
    })
    return { session, front, face }
  })
  return { ...given, decide, read, uploaded, sessionOf, filesOf, fileOf, timelineOf, receiptOf, first }
})

suite(TestServer.layer)("What a resubmission carries over", (it) => {
  it.effect(
    "answers with their words and files are shown, exported and receipted; what was asked again is new",
    () =>
      Effect.gen(function* () {
        const given = yield* company
        const { decide, fileOf, filesOf, receiptOf, server, sessionOf, timelineOf } = given
        const { face, front, session } = yield* given.first
        const [own, late] = [newKeyHash(), newKeyHash()]
        yield* check(given, session, own)
        yield* given.complete(session)
        // One that has the same document in the meantime.
        const other = yield* given.newSession()
        yield* check(given, other, late)

        const next = opened(yield* decide(session, { decision: "resubmission", steps: ["doc"] }))
        const back = yield* given.uploaded(next)
        // Who holds the link cannot exchange what was reviewed before.
        const carriedOver = field(yield* sessionOf(next), "progress")
        for (const status of [undefined, "running"]) {
          const exchanged = { s_about: { name: "Somebody Else" }, s_doc: { type: "passport" } }
          const answer = yield* send(server, "POST", `/api/kyc/public/sessions/${next.id}/progress`, {
            json: { token: next.token, status, progress: exchanged }
          })
          expect(statusAndBody(answer)).toEqual(refusal(409, "Session is not updatable"))
        }
        expect(yield* sessionOf(next)).toMatchObject({ status: "created", progress: carriedOver })
        yield* given.progress(next, {
          progress: {
            s_doc: {
              ...{ type: "passport", country: "EST", number: "AB123", expiry: "2999-01-01" },
              // A photo that was asked for again is no answer, although it is named.
              files: [
                { id: back, side: "front" },
                { id: front, side: "back" }
              ]
            }
          }
        })
        yield* check(given, next, own)
        yield* check(given, next, late)
        yield* given.complete(next)

        const read = yield* sessionOf(next)
        expect(idsIn(field(read, "instance_workflow", "steps"))).toEqual(["doc"])
        expect(idsIn(field(read, "first_workflow", "steps"))).toEqual(stepIds)
        expect(yield* sessionOf(session)).toMatchObject({ first_workflow: null })

        // The selfie is that of the session before; the first photo of the document is no answer any more.
        expect(yield* filesOf(next)).toMatchObject([
          { id: face, session_id: session.id },
          { id: back, session_id: next.id }
        ])
        expect(idsIn(yield* filesOf(session))).toEqual([front, face])
        expect((yield* fileOf(next, face)).status).toBe(200)
        expect(statusAndBody(yield* fileOf(next, front))).toEqual(refusal(404, "File not found"))
        expect(statusAndBody(yield* fileOf(session, back))).toEqual(refusal(404, "File not found"))

        const events = yield* timelineOf(next)
        // The session before is no other session, but a third one is.
        expect(
          Object.values(Object(events)).flatMap((event) =>
            text(event, "type") === "dedup_checked" ? [field(event, "matchFound")] : []
          )
        ).toEqual([false, true])

        const receipt = yield* receiptOf(next)
        expect(receipt).toMatchObject({
          consents: [{ id: "privacy", text: words, language: "en", version: "7" }],
          files: 2
        })
        expect(field(receipt, "handed_over")).toEqual(
          expect.arrayContaining([
            { kind: "form", fields: ["name"] },
            { kind: "document", fields: expect.arrayContaining(["type"]) },
            { kind: "selfie", fields: [] }
          ])
        )

        const archive = unzip(
          (yield* download(server, `/api/kyc/sessions/${next.id}/export`, { "x-api-key": given.key.token }))
            .bytes
        )
        const json = (name: string): unknown => JSON.parse(archive.get(name)?.toString() ?? "")
        expect(json("consents.json")).toEqual(field(receipt, "consents"))
        expect([...archive.keys()].filter((name) => name.startsWith("files/"))).toEqual([
          `files/${face}.pdf`,
          `files/${back}.pdf`
        ])
        expect(json("files.json")).toMatchObject([{ session_id: session.id }, { session_id: next.id }])
      })
  )

  it.effect(
    "any step of the first session can be asked for again; a redacted session before has no files",
    () =>
      Effect.gen(function* () {
        const given = yield* company
        const { decide, filesOf, read, sessionOf } = given
        const { face, session } = yield* given.first
        yield* given.complete(session)
        const second = opened(yield* decide(session, { decision: "resubmission", steps: ["doc"] }))
        const file = yield* given.uploaded(second)
        yield* given.progress(second, { progress: { s_doc: { type: "passport", files: [{ id: file }] } } })
        yield* given.complete(second)
        expect(idsIn(field((yield* read(second)).body, "options", "steps"))).toEqual(stepIds)

        const third = opened(yield* decide(second, { decision: "resubmission", steps: ["about", "face"] }))
        expect(idsIn(field(yield* sessionOf(third), "instance_workflow", "steps"))).toEqual(["about", "face"])
        expect(idsIn(field(yield* sessionOf(third), "first_workflow", "steps"))).toEqual(stepIds)
        expect(yield* filesOf(third)).toMatchObject([{ id: file, session_id: second.id }])

        expect(idsIn(yield* filesOf(second))).toEqual([face, file])
        yield* given.asMember("POST", `/api/kyc/sessions/${session.id}/redact`)
        expect(idsIn(yield* filesOf(second))).toEqual([file])
      })
  )
})
