/** The partner's reads of files: every row of both routes. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, join, text } from "../../support/client.ts"
import { securityHeaders } from "../../support/http/security-headers.ts"
import { download, Given, jpegOf, samples, sha256, upload } from "../../support/kyc/files.ts"
import { refusal, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

suite(Given.layer)("Reading files as the partner", (it) => {
  const uploaded = Effect.gen(function* () {
    const { newSession, server } = yield* Given
    const session = yield* newSession()
    const bytes = jpegOf(3_000_000)
    const { body } = yield* upload(server, session, bytes)
    const id = text(body, "file", "id")
    return { session, bytes, id, file: field(body, "file"), path: `/api/kyc/sessions/${session.id}/files` }
  })

  it.effect("200: the list, oldest first, by key and by dashboard session, after expiry too", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, expire, server } = yield* Given
      const { file, path, session } = yield* uploaded
      const second = yield* upload(server, session, samples.pdf)
      const files = [file, field(second.body, "file")].map((one) => ({
        ...Object(one),
        session_id: session.id
      }))
      const expected = { status: 200, body: { files } }
      for (const ask of [asPartner(path), asMember("GET", path)]) {
        expect(statusAndBody(yield* ask)).toStrictEqual(expected)
      }
      yield* expire(session)
      expect(statusAndBody(yield* asPartner(path))).toStrictEqual(expected)
    })
  )

  it.effect("200: the original bytes, as an attachment that no browser interprets", () =>
    Effect.gen(function* () {
      const { expire, key, member, server } = yield* Given
      const { bytes, id, path, session } = yield* uploaded
      yield* expire(session)
      for (const headers of [{ "x-api-key": key.token }, { cookie: member.cookie }]) {
        for (const name of [id, id.toUpperCase()]) {
          const answer = yield* download(server, `${path}/${name}?original=true`, headers)
          expect(answer.status).toBe(200)
          expect(sha256(answer.bytes)).toBe(sha256(bytes))
          expect(Object.fromEntries(answer.headers)).toMatchObject({
            "content-type": "image/jpeg",
            // Bun frames a stream by itself; HEAD has the length.
            "transfer-encoding": "chunked",
            "content-disposition": `attachment; filename="${id}.jpg"`,
            "x-content-type-options": "nosniff",
            etag: `"${sha256(bytes)}"`,
            "cache-control": "no-store",
            "content-security-policy": `${securityHeaders["content-security-policy"]}; sandbox`
          })
          expect(answer.headers.get("access-control-allow-origin")).toBeNull()
        }
      }
    })
  )

  it.effect("a PDF, whatever it contains: accepted, and read unchanged, as an attachment in a sandbox", () =>
    Effect.gen(function* () {
      const { key, member, newSession, server } = yield* Given
      const reviewer = yield* join(server, member, "reviewer")
      const session = yield* newSession()
      for (const content of [
        "1 0 obj << /S /JavaScript /JS (app.alert\\(1\\)) >> endobj",
        "1 0 obj << /Type /EmbeddedFile >> stream\nx\nendstream endobj",
        "trailer << /Encrypt 5 0 R /Root 1 0 R >>"
      ]) {
        const bytes = Buffer.concat([samples.pdf, Buffer.from(content)])
        const stored = yield* upload(server, session, bytes)
        expect([content, stored.status]).toEqual([content, 201])
        const id = text(stored.body, "file", "id")
        const path = `/api/kyc/sessions/${session.id}/files/${id}`
        for (const [address, headers] of [
          [path, { "x-api-key": key.token }],
          [`${path}?original=true`, { "x-api-key": key.token }],
          [path, { cookie: reviewer.cookie }]
        ] as const) {
          const answer = yield* download(server, address, headers)
          expect([answer.status, sha256(answer.bytes)]).toEqual([200, sha256(bytes)])
          expect(Object.fromEntries(answer.headers)).toMatchObject({
            "content-type": "application/pdf",
            "content-disposition": `attachment; filename="${id}.pdf"`,
            "x-content-type-options": "nosniff",
            "content-security-policy": expect.stringMatching(/; sandbox$/)
          })
        }
      }
    })
  )

  it.effect("404: unknown, another session's", () =>
    Effect.gen(function* () {
      const { asPartner, newSession } = yield* Given
      const { id, path } = yield* uploaded
      const other = yield* newSession()
      for (const address of [`${path}/${unknownId}`, `/api/kyc/sessions/${other.id}/files/${id}`]) {
        expect(statusAndBody(yield* asPartner(address))).toStrictEqual(refusal(404, "File not found"))
      }
    })
  )
})
