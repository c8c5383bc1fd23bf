/** The partner's reads of files: every row of both routes. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, field, send, text } from "../../support/client.ts"
import { download, Given, jpegOf, samples, sha256, upload } from "../../support/kyc/files.ts"
import { companyOn, refusal, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
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

  it.effect("200: an empty list", () =>
    Effect.gen(function* () {
      const { asPartner, newSession } = yield* Given
      const { id } = yield* newSession()
      expect(statusAndBody(yield* asPartner(`/api/kyc/sessions/${id}/files`))).toStrictEqual({
        status: 200,
        body: { files: [] }
      })
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
            "content-security-policy":
              "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
          })
          expect(answer.headers.get("access-control-allow-origin")).toBeNull()
        }
      }
    })
  )

  it.effect("HEAD: the headers of GET", () =>
    Effect.gen(function* () {
      const { key, server } = yield* Given
      const { id, path } = yield* uploaded
      const answer = yield* send(server, "HEAD", `${path}/${id}?original=true`, {
        headers: { "x-api-key": key.token }
      })
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("image/jpeg")
      expect(answer.headers.get("content-length")).toBe("3000000")
      expect(answer.text).toBe("")
    })
  )

  it.effect("404: unknown, not a UUID, another session's, another company's", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, newSession, server } = yield* Given
      const { id, path, session } = yield* uploaded
      const other = yield* newSession()
      for (const name of [unknownId, "x", "%00", `${id}'`, session.id]) {
        expect(statusAndBody(yield* asPartner(`${path}/${name}`))).toStrictEqual(
          refusal(404, "File not found")
        )
      }
      expect(statusAndBody(yield* asPartner(`/api/kyc/sessions/${other.id}/files/${id}`))).toStrictEqual(
        refusal(404, "File not found")
      )
      const stranger = yield* companyOn(server)
      for (const address of [path, `${path}/${id}`, `${path}/${unknownId}`]) {
        for (const ask of [stranger.asPartner(address), stranger.asMember("GET", address)]) {
          expect(statusAndBody(yield* ask)).toStrictEqual(refusal(404, "Session not found"))
        }
      }
      for (const name of [unknownId, "x", "%00"]) {
        for (const ask of [asPartner, (address: string) => asMember("GET", address)]) {
          expect(statusAndBody(yield* ask(`/api/kyc/sessions/${name}/files`))).toStrictEqual(
            refusal(404, "Session not found")
          )
        }
      }
    })
  )

  it.effect(
    "by a key with scope kyc:files:read or an ancestor of it, else 403; 401 without a credential",
    () =>
      Effect.gen(function* () {
        const { member, server } = yield* Given
        const { id, path, session } = yield* uploaded
        for (const address of [path, `${path}/${id}`]) {
          for (const [scope, status] of [
            ["*", 200],
            ["kyc", 200],
            ["kyc:files", 200],
            ["kyc:files:read", 200],
            ["kyc:sessions", 403],
            ["kyc:sessions:read", 403]
          ] as const) {
            const { token } = yield* createKey(server, member, { scopes: [scope] })
            const answer = yield* send(server, "GET", address, { headers: { "x-api-key": token } })
            expect([scope, answer.status]).toEqual([scope, status])
            if (status === 403) {
              expect(answer.body).toEqual({ error: "API key does not have the scope kyc:files:read" })
            }
          }
          expect(statusAndBody(yield* send(server, "GET", address))).toStrictEqual(
            refusal(401, "Unauthorized")
          )
          const asBrowser = { authorization: `Bearer ${session.token}` }
          expect(statusAndBody(yield* send(server, "GET", address, { headers: asBrowser }))).toStrictEqual(
            refusal(401, "Invalid API key")
          )
        }
      })
  )

  it.effect("the session and its assurance are unchanged", () =>
    Effect.gen(function* () {
      const { asPartner, newSession, server } = yield* Given
      const session = yield* newSession()
      const before = statusAndBody(yield* asPartner(`/api/kyc/sessions/${session.id}`))
      yield* upload(server, session, samples.png)
      expect(statusAndBody(yield* asPartner(`/api/kyc/sessions/${session.id}`))).toStrictEqual(before)
    })
  )
})
