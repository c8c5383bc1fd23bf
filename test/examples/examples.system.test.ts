/** The programs of docs/examples that receive webhooks, with a running server and what it really delivers. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createKey, createSession, field, send, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { copied, started } from "../support/examples.ts"
import { freePort } from "../support/machine/free-port.ts"
import { suite } from "../support/suite.ts"
import { hooked, WebhookServer } from "../support/webhooks/receiver.ts"

/** What Next.js does with the files of `app`. */
const nextServer = `
import { GET as order } from "./app/orders/[id]/route.ts"
import { POST as signUp } from "./app/sign-up/route.ts"
import { POST as webhook } from "./app/webhooks/route.ts"
const { url } = Bun.serve({
  port: process.env.PORT,
  routes: {
    "/sign-up": { POST: signUp },
    "/webhooks": { POST: webhook },
    "/orders/:id": { GET: (request) => order(request, { params: Promise.resolve(request.params) }) }
  }
})
console.log("Listening at " + url)
`

/** A company with an endpoint at the example, which is running. */
const running = (example: string, file: string, packages: ReadonlyArray<string> = [], runtime?: string) =>
  Effect.gen(function* () {
    const { add, ask, attemptDue, member, server } = yield* hooked
    const key = yield* createKey(server, member)
    const instance = yield* createInstance(server, member, {
      workflow: { v: 1, id: "none", version: 1, steps: [{ id: "note", type: "form", optional: true }] }
    })
    const folder = yield* copied(server, example, packages)
    yield* Effect.promise(() => writeFile(join(folder, "next-server.ts"), nextServer))
    const port = yield* freePort
    const { body } = yield* add(`http://127.0.0.1:${port}/webhooks`)
    const environment = {
      DOORLOCK_URL: server.url,
      DOORLOCK_API_KEY: key.token,
      DOORLOCK_INSTANCE: instance.publicKey,
      WEBHOOK_SECRET: text(body, "secret"),
      SHOP_URL: `http://127.0.0.1:${port}`,
      PORT: String(port)
    }
    const { program } = yield* started(environment, join(folder, file), runtime)
    const at = { url: environment.SHOP_URL }
    /** Waits until the example has heard from doorlock. */
    const hears = (said: string) =>
      Effect.gen(function* () {
        // Reading the feed moves new events to the endpoints.
        yield* ask("GET", "/api/events")
        yield* attemptDue
        yield* eventually(said, () => program.stdout().includes(said))
      })
    const refusesForgeries = Effect.gen(function* () {
      const forged = yield* send(at, "POST", "/webhooks", {
        headers: {
          "webhook-id": "evt_1",
          "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
          "webhook-signature": "v1,AAAA"
        },
        json: { type: "kyc.session.completed", data: {} }
      })
      expect(forged.status).toBe(400)
      expect(program.stderr()).not.toMatch(/error|traceback/i)
    })
    return { at, hears, instance, key, refusesForgeries, server }
  })

/** Signs up, verifies, and orders. */
const walk = (...example: Parameters<typeof running>) =>
  Effect.gen(function* () {
    const { at, hears, refusesForgeries, server } = yield* running(...example)
    const signedUp = yield* send(at, "POST", "/sign-up", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "email=ada%40example.com"
    })
    expect(signedUp.status).toBe(303)
    const { pathname, searchParams } = new URL(signedUp.headers.get("location") ?? "")
    const token = searchParams.get("token") ?? ""
    const session = `/api/kyc/public/sessions/${pathname.split("/").at(-1)}`
    const { body } = yield* send(server, "GET", `${session}?token=${token}`)
    const customer = text(body, "session", "external_reference")
    const orders = Effect.map(send(at, "GET", `/orders/${customer}`), (page) => page.text)
    expect(yield* orders).toContain("when we have verified you")
    const completed = yield* send(server, "POST", `${session}/complete`, { json: { token } })
    expect(field(completed.body, "redirectUrl")).toBe(`${at.url}/orders/${customer}`)
    yield* hears(`${customer} is verified`)
    expect(yield* orders).toContain("You are verified")
    expect((yield* send(at, "GET", "/orders/unknown")).status).toBe(404)
    yield* refusesForgeries
  })

suite(WebhookServer.layer)("docs/examples", (it) => {
  it.scoped("hono: a customer is verified and may order", () => walk("hono", "shop.ts", ["hono"]))

  it.scoped("express: a customer is verified and may order", () =>
    walk("express", "shop.js", ["express"], Bun.which("node") ?? undefined)
  )

  it.scoped("next: a customer is verified and may order", () => walk("next", "next-server.ts"))

  it.scoped.skipIf(Bun.which("python3") === null)("python: hears of a verified person (needs python3)", () =>
    Effect.gen(function* () {
      const { hears, instance, key, refusesForgeries, server } = yield* running(
        "python",
        "receiver.py",
        [],
        "python3"
      )
      const { path, token } = yield* createSession(server, key.token, instance.id, {
        externalReference: "customer-42"
      })
      yield* send(server, "POST", `${path}/complete`, { json: { token } })
      yield* hears("customer-42 is verified")
      yield* refusesForgeries
    })
  )
})
