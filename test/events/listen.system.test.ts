/** `bun cli listen`, with a real server and a real receiver. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { cli, cliFile, jsonOf } from "../support/cli.ts"
import { createKey, field, send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { freePort } from "../support/machine/free-port.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { run } from "../support/program.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { type Receiver, startReceiver, startReceiverOn } from "../support/webhooks/receiver.ts"

/** The resources of the events that it has received. */
const idsIn = ({ received }: Receiver) =>
  received.map(({ body }) => String(field(JSON.parse(body), "data", "id")))

const secretOf = (stderr: string) => /Signing secret: (whsec_\S+)/.exec(stderr)?.[1] ?? ""

/** A company, and `listen` with its key in a folder of its own. */
const start = Effect.gen(function* () {
  const server = yield* TestServer
  const company = yield* companyOn(server)
  const environment = { DOORLOCK_API_KEY: company.key.token, XDG_STATE_HOME: yield* temporaryFolder }
  const listen = (words: ReadonlyArray<string>, url = server.url) =>
    Effect.gen(function* () {
      const program = yield* run(environment, cliFile, ["listen", "--url", url, ...words])
      yield* eventually("it listens", () => secretOf(program.stderr()) !== "")
      return program
    })
  return { server, company, environment, listen }
})

const comes = (what: string, holds: () => boolean) => eventually(what, holds)

suite(TestServer.layer)("bun cli listen (docs/guides/webhooks.md)", (it) => {
  it.scoped(
    "forwards each new event of the types, signed, with the bytes of the feed, and a line for each",
    () =>
      Effect.gen(function* () {
        const { company, listen, server } = yield* start
        yield* company.newSession()
        const receiving = yield* startReceiver
        const program = yield* listen(["--forward", receiving.url, "--type", "kyc.*"])
        yield* createKey(server, company.member)
        const session = yield* company.newSession({ externalReference: "Zoë 42" })
        yield* company.complete(session)
        yield* comes("two events", () => receiving.received.length === 2)
        const feed = yield* company.asPartner("/api/events?type=kyc.*&limit=100")
        const events = (field(feed.body, "events") as ReadonlyArray<unknown>).slice(1)
        const verifier = new Webhook(secretOf(program.stderr()))
        for (const [index, { body, headers }] of receiving.received.entries()) {
          expect(verifier.verify(body, headers)).toStrictEqual(events[index])
          expect(body).toBe(JSON.stringify(events[index]))
          expect(headers).toMatchObject({
            "content-type": "application/json",
            "webhook-id": field(events[index], "id"),
            "user-agent": expect.stringMatching(/^doorlock\/\d/)
          })
        }
        yield* comes("two lines", () => program.stdout().split("\n").length === 3)
        expect(program.stdout()).toMatch(
          /^\S+Z {2}kyc\.session\.created {2,}evt_[0-9a-f]{32} {2}204 in \d+ ms\n\S+Z {2}kyc\.session\.completed {2,}evt_/
        )
        program.signal("SIGINT")
        expect(yield* program.exited).toBe(130)
      })
  )

  it.scoped("continues after kill -9, with the same secret, and misses nothing in between", () =>
    Effect.gen(function* () {
      const { company, listen } = yield* start
      const receiving = yield* startReceiver
      const words = ["--forward", receiving.url, "--type", "kyc.session.created"]
      const sessions: Array<string> = []
      const secrets = new Set<string>()
      for (let round = 1; round <= 3; round++) {
        const program = yield* listen(words)
        secrets.add(secretOf(program.stderr()))
        sessions.push((yield* company.newSession()).id, (yield* company.newSession()).id)
        yield* comes("these", () => new Set(idsIn(receiving)).size === sessions.length)
        program.signal("SIGKILL")
        expect(yield* program.exited).toBe("SIGKILL")
        sessions.push((yield* company.newSession()).id)
      }
      const last = yield* listen(words)
      yield* comes("all", () => new Set(idsIn(receiving)).size === sessions.length)
      // A killed process may have sent its last event without noting it.
      expect([...new Set(idsIn(receiving))]).toEqual(sessions)
      expect(secrets).toEqual(new Set([secretOf(last.stderr())]))
    })
  )

  it.scoped("waits for a receiver that is away, and moves on after any answer", () =>
    Effect.gen(function* () {
      const { company, listen } = yield* start
      const port = yield* freePort
      const first = yield* startReceiverOn(port)
      first.answer = () => new Response(null, { status: 500 })
      const program = yield* listen(["--forward", first.url, "--type", "kyc.session.created", "--json"])
      yield* company.newSession()
      const lines = () =>
        program
          .stdout()
          .trim()
          .split("\n")
          .map((line) => field(JSON.parse(line), "status"))
      yield* comes("the error", () => program.stdout().endsWith("}\n"))
      expect(lines()).toEqual([500])
      yield* first.stop
      const session = yield* company.newSession()
      const failure = `${first.url} gives no answer: nothing listens there; trying again.\n`
      yield* comes("a failure", () => program.stderr().includes(failure))
      const second = yield* startReceiverOn(port)
      second.answer = () => new Response(null, { status: 302 })
      yield* comes("the event", () => second.received.length === 1)
      expect(idsIn(second)).toEqual([session.id])
      yield* comes("its line", () => lines().length === 2)
      expect(lines()).toEqual([500, 302])
      expect(program.stderr().endsWith(`${failure}${first.url} answers again.\n`)).toBe(true)
    })
  )

  it.scoped("sends one event again on request, with the same secret, and ends", () =>
    Effect.gen(function* () {
      const { company, environment: env, listen, server } = yield* start
      const receiving = yield* startReceiver
      const program = yield* listen(["--forward", receiving.url])
      yield* company.newSession()
      yield* comes("the event", () => receiving.received.length === 1)
      program.signal("SIGTERM")
      yield* program.exited
      const id = receiving.received[0]?.headers["webhook-id"] ?? ""
      const again = (event: string, words: ReadonlyArray<string> = [], exitCode = 0) =>
        cli(["listen", "--url", server.url, "--forward", receiving.url, "--event", event, ...words], {
          env,
          exitCode
        })
      expect(jsonOf(yield* again(id, ["--json"]))).toEqual({
        id,
        type: "kyc.session.created",
        timestamp: expect.any(String),
        status: 204,
        ms: expect.any(Number)
      })
      const verifier = new Webhook(secretOf(program.stderr()))
      const [first, second] = receiving.received.map(({ body, headers }) => verifier.verify(body, headers))
      expect(second).toEqual(first)
      expect((yield* again("evt_0", [], 1)).stderr).toBe("doorlock: Event not found.\n")
      yield* receiving.stop
      const away = yield* again(id, [], 4)
      expect(away.stdout).toBe("")
      expect(away.stderr).toContain(`doorlock: ${receiving.url} gives no answer: nothing listens there.\n`)
    })
  )

  it.scoped("reads on when the installation is back, and gives up when the key is refused", () =>
    Effect.gen(function* () {
      const { company, listen, server } = yield* start
      let failing = false
      let failures = 0
      const proxy = yield* startReceiver
      proxy.answer = ({ headers, path }) => {
        if (!failing) return fetch(`${server.url}${path}`, { headers })
        failures++
        return new Response("", { status: 502 })
      }
      const receiving = yield* startReceiver
      const url = new URL(proxy.url).origin
      const program = yield* listen(["--forward", receiving.url], url)
      failing = true
      const session = yield* company.newSession()
      yield* comes("several failures", () => failures > 2)
      failing = false
      yield* comes("the event", () => idsIn(receiving).includes(session.id))
      // Its output and its requests come by different ways.
      yield* comes("the last line", () => program.stderr().includes("answers again"))
      expect(program.stderr()).toMatch(
        new RegExp(
          `^Events of .*\n${url} cannot be read: it answered with 502; trying again.\n${url} answers again.\n$`
        )
      )
      yield* send(server, "POST", `/api/api-keys/${company.key.id}/revoke`, {
        headers: { cookie: company.member.cookie }
      })
      expect(yield* program.exited).toBe(1)
      expect(program.stderr()).toContain("doorlock: Invalid API key.\n")
    })
  )
})
