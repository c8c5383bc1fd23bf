/** The commands about APIs, against two servers that run on the same database. */
import { userInfo } from "node:os"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { auditEvents, eventsOf } from "../support/audit/trail.ts"
import { cli, jsonOf, onDatabase } from "../support/cli.ts"
import { field, send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { callableApi } from "../support/marketplace/callable-api.ts"
import { askingAs } from "../support/marketplace/publisher.ts"
import { type RunningServer, startServerOn } from "../support/server.ts"
import { anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"

const settings = { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }

class Replicas extends Context.Tag("Replicas")<Replicas, readonly [RunningServer, RunningServer]>() {
  static readonly layer = Layer.scoped(
    Replicas,
    Effect.orDie(
      Effect.flatMap(freshDatabase, (url) =>
        Effect.all([startServerOn(url, settings), startServerOn(url, settings)])
      )
    )
  )
}

const run = (words: ReadonlyArray<string>, exitCode = 0) =>
  Effect.flatMap(Replicas, ([{ databaseUrl }]) => cli(words, { ...onDatabase(databaseUrl), exitCode }))

const json = (words: ReadonlyArray<string>) =>
  Effect.map(run([...words, "--json"]), (ran) => {
    expect(ran.stderr).toBe("")
    return jsonOf(ran)
  })

const refuses = (words: ReadonlyArray<string>, exitCode: number, sentence: string) =>
  Effect.map(run(words, exitCode), (ran) => {
    const hint = exitCode === 2 ? "Add --help for usage.\n" : ""
    expect(ran).toEqual({ exitCode, stdout: "", stderr: `doorlock: ${sentence}\n${hint}` })
  })

/** A company that publishes an API and has subscribed to it, and how each of the two servers answers a call of it. */
const published = Effect.gen(function* () {
  const replicas = yield* Replicas
  const [server] = replicas
  const member = yield* signUp(server)
  const { path, token } = yield* callableApi(server, member)
  const [, , publisherSlug = "", slug = ""] = path.split("/")
  const ask = askingAs(server, member)
  const own = Effect.map(ask("GET", "/publisher/apis"), ({ body }) => field(body, "apis", 0))
  const id = String(field(yield* own, "id"))
  const statuses = Effect.forEach(replicas, (replica) =>
    Effect.map(send(replica, "GET", path, { headers: { "x-api-key": token } }), ({ status }) => status)
  )
  const answers = (status: number) =>
    eventually(
      `both servers answer ${status}`,
      Effect.map(statuses, (found) => found.every((one) => one === status))
    )
  const events = (action: string) => Effect.map(auditEvents(server, member, { action }), eventsOf)
  return {
    server,
    member,
    id,
    slug,
    publisherSlug,
    name: `${publisherSlug}/${slug}`,
    ask,
    own,
    answers,
    events
  }
})

const actor = { kind: "operator", id: null, name: userInfo().username }

suite(Replicas.layer)("api", (it) => {
  it.scoped("unpublish takes an API down on every server, until it is allowed and published again", () =>
    Effect.gen(function* () {
      const { answers, ask, events, id, name, own, server } = yield* published
      const path = `/api/api-marketplace/apis/${id}`
      yield* answers(200)
      const before = yield* own
      expect(before).toMatchObject({ status: "published", taken_down: null })

      expect(yield* json(["api", "unpublish", name, "--reason", " It pretends to be a bank. "])).toEqual({
        ok: true,
        changed: true
      })
      yield* answers(404)
      expect((yield* send(server, "GET", path)).status).toBe(404)
      const takenDown = { at: anInstant, reason: "It pretends to be a bank." }
      expect(yield* own).toEqual({ ...Object(before), status: "draft", taken_down: takenDown })
      expect(yield* events("api.taken_down")).toMatchObject([
        {
          actor,
          resource: { kind: "api", id },
          details: { reason: "It pretends to be a bank." },
          address: null
        }
      ])

      // Its publisher cannot undo that, by any of its routes.
      const refused = yield* ask("POST", `/apis/${id}/publish`, {})
      expect([refused.status, refused.body, refused.headers.get("doorlock-error")]).toEqual([
        409,
        { error: "API was taken down by the operator" },
        "api-taken-down"
      ])
      expect((yield* ask("POST", `/apis/${id}/unpublish`, {})).status).toBe(200)
      expect((yield* ask("POST", `/apis/${id}/publish`, {})).status).toBe(409)
      const renamed = yield* ask("PATCH", `/apis/${id}`, { name: "Bank" })
      expect(field(renamed.body, "api")).toMatchObject({ status: "draft", taken_down: takenDown })
      expect((yield* send(server, "GET", path)).status).toBe(404)
      expect(yield* events("api.published")).toHaveLength(1)
      expect(yield* events("api.unpublished")).toEqual([])

      expect(yield* json(["api", "allow", name])).toEqual({ ok: true, changed: true })
      expect(yield* own).toMatchObject({ status: "draft", taken_down: null })
      expect(yield* events("api.allowed")).toMatchObject([
        { actor, resource: { kind: "api", id }, details: {} }
      ])
      yield* answers(404)
      expect((yield* ask("POST", `/apis/${id}/publish`, {})).status).toBe(200)
      yield* answers(200)
    })
  )

  it.scoped("a manifest does not publish an API that was taken down", () =>
    Effect.gen(function* () {
      const { member, name, publisherSlug, slug } = yield* published
      yield* json(["api", "unpublish", name, "--reason", "Fraud"])
      const [{ databaseUrl }] = yield* Replicas
      const manifest = {
        company: member.companyId,
        publisher: { slug: publisherSlug },
        api: { slug, name: "Test" },
        version: "2",
        upstreamUrl: "https://upstream.example"
      }
      const ran = yield* cli(["publish", "-"], {
        ...onDatabase(databaseUrl),
        stdin: JSON.stringify(manifest),
        exitCode: 1
      })
      expect(ran).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: "doorlock: API was taken down by the operator\n"
      })
    })
  )

  it.scoped("list shows the APIs of all companies, or of one, and their states", () =>
    Effect.gen(function* () {
      const { id, member, name, publisherSlug, slug } = yield* published
      const other = yield* published
      const listed = {
        id,
        company: { id: member.companyId, name: expect.any(String) },
        publisher_slug: publisherSlug,
        slug,
        name: "Test",
        status: "published",
        taken_down: null,
        subscribers: 1
      }
      const words = ["api", "list", "--company", member.companyId]
      expect(yield* json(words)).toEqual({ apis: [listed] })
      const apis = field(yield* json(["api", "list"]), "apis")
      expect(apis).toContainEqual(listed)
      expect(apis).toContainEqual(expect.objectContaining({ id: other.id }))
      yield* json(["api", "unpublish", name, "--reason", "Fraud\u001b[2J"])
      expect(yield* json(words)).toEqual({
        apis: [{ ...listed, status: "draft", taken_down: { at: anInstant, reason: "Fraud\u001b[2J" } }]
      })
      const { stdout } = yield* run(words)
      expect(stdout.split("\n")[0]).toMatch(/^COMPANY +API +STATE +SUBSCRIBERS +NAME +REASON$/)
      expect(stdout.split("\n")[1]).toMatch(new RegExp(` ${name} +taken down +1 +Test +Fraud$`))
    })
  )

  it.scoped("refuses an unknown API and an empty reason", () =>
    Effect.gen(function* () {
      yield* refuses(
        ["api", "unpublish", "nobody/none", "--reason", "Fraud"],
        1,
        "There is no API nobody/none."
      )
      yield* refuses(["api", "allow", "nobody/none"], 1, "There is no API nobody/none.")
      for (const name of ["weather", "a/b/c"]) {
        yield* refuses(["api", "allow", name], 2, `${name} does not name an API. Write <publisher>/<api>.`)
      }
      for (const nothing of [" ", "\u200b", "\u0007"]) {
        yield* refuses(["api", "unpublish", "a/b", "--reason", nothing], 2, "reason is required")
      }
      const long = "x".repeat(1001)
      yield* refuses(
        ["api", "unpublish", "a/b", "--reason", long],
        2,
        "reason must be at most 1000 characters"
      )
    })
  )
})
