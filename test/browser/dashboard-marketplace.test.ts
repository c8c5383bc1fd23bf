/** The marketplace in the dashboard, from the search for an API to its calls. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { goTo, looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, press } from "../support/browser/visit.ts"
import { field, send, signUp } from "../support/client.ts"
import { answering } from "../support/marketplace/gateway.ts"
import {
  addPlan,
  addVersion,
  openapi,
  publish,
  publisherOn,
  type TestPublisher
} from "../support/marketplace/publisher.ts"
import { subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { startServer, TestServer } from "../support/server.ts"

/** A server that lets publishers have upstreams on this machine. */
const server = Layer.scoped(
  TestServer,
  Effect.orDie(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }))
)

const weather = openapi(
  {
    "/forecasts": {
      post: {
        operationId: "ask",
        tags: ["Forecasts"],
        summary: "Ask for a forecast",
        parameters: [{ name: "units", in: "query", schema: { enum: ["metric", "imperial"] } }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Ask" } } }
        },
        responses: { 201: { description: "The forecast was made" } }
      }
    },
    "/now": {
      get: {
        operationId: "now",
        tags: ["Observations"],
        summary: "The weather as it is",
        responses: {
          200: {
            description: "The weather",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Weather" } } }
          }
        }
      }
    }
  },
  {
    components: {
      schemas: {
        Ask: {
          type: "object",
          required: ["station"],
          properties: { station: { type: "string" }, days: { type: "integer", maximum: 10, default: 3 } }
        },
        Weather: {
          type: "object",
          properties: { sky: { enum: ["clear", "rain"] }, next: { $ref: "#/components/schemas/Weather" } }
        }
      }
    }
  }
)

/** An API that answers every call, with its plans. */
const weatherOf = (publisher: TestPublisher, name: string) =>
  Effect.gen(function* () {
    const { url } = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nrain")
    const api = yield* publisher.newApi({ name, description: "Of **tomorrow**." })
    yield* addVersion(publisher, api, { upstreamUrl: url, openapi: weather })
    const planId = yield* addPlan(publisher, api, { requestsPerMinute: 60, requestsPerMonth: 10_000 })
    yield* addPlan(publisher, api, { name: "Unlimited" })
    yield* publish(publisher, api)
    return { ...api, planId }
  })

/** The URL and the key in a command to paste. */
const callIn = (command: string | null) => ({
  path: /'http:\/\/doorlock\.test(\/[^']*)'/.exec(command ?? "")?.[1] ?? "",
  key: /x-api-key: (\w+)'/.exec(command ?? "")?.[1] ?? ""
})

inBrowser(server)("the marketplace in the dashboard", (test) => {
  test("an API is found, read about, subscribed to despite a lost connection, and called; keys are rotated and revoked, and the subscription cancelled", () =>
    Effect.gen(function* () {
      const publisher = yield* publisherOn(yield* TestServer)
      yield* weatherOf(publisher, "Weather of the walk")
      const { member, page, server, visit } = yield* openedDashboard("/dashboard")
      const ask = subscriberOf(server, member)
      const status = ({ key, path }: ReturnType<typeof callIn>) =>
        Effect.map(send(server, "GET", path, { headers: { "x-api-key": key } }), (answer) => answer.status)

      yield* goTo(visit, "Subscriptions")
      yield* looksRight(visit, "Subscriptions")
      yield* act(() => page.getByRole("link", { name: "Browse APIs" }).click())
      yield* looksRight(visit, "Marketplace")
      yield* act(() => page.getByRole("link", { name: "Weather of the walk" }).click())
      yield* looksRight(visit, "Weather of the walk")

      // Its documentation.
      yield* act(() => page.getByText("POST /forecasts").click())
      for (const shown of [
        'one of "metric", "imperial"',
        "at most 10 · by default 3",
        "The forecast was made"
      ]) {
        yield* act(() => page.getByText(shown).waitFor())
      }
      const example = yield* act(() => page.locator("pre").first().textContent())
      expect(JSON.parse(example ?? "")).toEqual({ station: "text", days: 3 })
      yield* looksRight(visit, "Weather of the walk")
      // The URL holds what is open, so that it can be linked to.
      yield* act(() =>
        expect.poll(() => new URL(page.url()).searchParams.get("operation")).toBe("POST /forecasts")
      )
      yield* act(() => page.reload())
      yield* act(() => page.getByText("The forecast was made").waitFor())
      const download = page.waitForEvent("download")
      yield* act(() => page.getByRole("link", { name: "Download the OpenAPI document" }).click())
      const downloaded = yield* act(() => download)
      expect(downloaded.suggestedFilename()).toMatch(/\.openapi\.json$/)

      // Subscribe: the response to the first attempt is lost.
      yield* act(() => page.getByRole("link", { name: "Subscribe" }).click())
      yield* looksRight(visit, "Subscribe to Weather of the walk")
      yield* act(() => press(page, "Subscribe"))
      yield* act(() => page.getByText("Name of your first key is required").waitFor())
      yield* act(() => page.getByLabel("Name of your first key").fill("web shop"))
      yield* act(() =>
        page.route("**/subscribe", async (route) => {
          await route.fetch()
          await route.abort()
        })
      )
      yield* act(() => press(page, "Subscribe"))
      yield* act(() => page.getByRole("alert").getByText("doorlock cannot be reached").waitFor())
      yield* act(() => page.unroute("**/subscribe"))
      const replayed = page.waitForResponse("**/subscribe")
      yield* act(() => press(page, "Subscribe"))
      const answer = yield* act(() => replayed)
      expect(answer.headers()["idempotent-replayed"]).toBe("true")
      yield* looksRight(visit, "You are subscribed")
      expect(field((yield* ask.list).body, "subscriptions")).toHaveLength(1)

      // The displayed call works.
      const secret = yield* act(() => page.locator(".secret code").textContent())
      const first = callIn(yield* act(() => page.locator("pre").textContent()))
      expect(first.key).toBe(secret)
      expect(first.path).toMatch(/\/v\/1\/now$/)
      expect(yield* status(first)).toBe(200)

      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())
      yield* looksRight(visit, "Weather of the walk")
      yield* act(() => page.waitForURL("**/dashboard/subscriptions/*"))
      yield* (yield* TestServer).run("marketplace.usage")
      yield* act(() => page.reload())
      yield* act(() => page.getByText("1 of 10,000 calls this month").waitFor())
      yield* act(() => page.getByRole("img", { name: /: 1 in all, most on .* with 1\.$/ }).waitFor())
      yield* act(() => page.getByText("Show as a table").click())
      yield* looksRight(visit, "Weather of the walk")

      // Rotate: both keys work until the old one is revoked.
      yield* act(() => page.getByRole("link", { name: "Rotate web shop" }).click())
      yield* looksRight(visit, "Rotate a key")
      yield* act(() => page.getByLabel("How long the old key keeps working").selectOption("For an hour"))
      yield* act(() => press(page, "Rotate key"))
      yield* looksRight(visit, "Your replacement key")
      const second = callIn(yield* act(() => page.locator("pre").textContent()))
      expect(second.key).not.toBe(first.key)
      expect(yield* status(first)).toBe(200)
      expect(yield* status(second)).toBe(200)
      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())
      const old = page.getByRole("row").filter({ hasText: "works until" })
      yield* act(() => press(old, "Revoke web shop"))
      yield* act(() => press(page.getByRole("dialog", { name: "Revoke “web shop”?" }), "Revoke key"))
      yield* act(() => page.getByText("“web shop” is revoked").waitFor())
      expect(yield* status(first)).toBe(401)
      expect(yield* status(second)).toBe(200)

      // A test key.
      yield* act(() => page.getByRole("link", { name: "Create key" }).click())
      yield* looksRight(visit, "Create a key")
      yield* act(() => page.getByLabel("Name").fill("staging"))
      yield* act(() => page.getByLabel("Kind").selectOption({ index: 1 }))
      yield* act(() => press(page, "Create key"))
      yield* looksRight(visit, "Your new key")
      yield* act(() => expect.poll(() => page.locator(".secret code").textContent()).toMatch(/^dk_test_/))
      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())

      yield* act(() => press(page, "Cancel subscription"))
      const question = page.getByRole("dialog", { name: "Cancel the subscription to Weather of the walk?" })
      yield* act(() => press(question, "Yes, cancel it"))
      yield* act(() => page.locator("dd").getByText("Cancelled").waitFor())
      // The button that had the focus is gone.
      yield* act(() => expect.poll(() => page.locator("main h1:focus").count()).toBe(1))
      expect(yield* status(second)).toBe(403)
      yield* act(() => expect.poll(() => page.getByRole("button", { name: /Revoke|Cancel/ }).count()).toBe(0))
      yield* act(() =>
        expect.poll(() => page.getByRole("link", { name: /Rotate|Create key/ }).count()).toBe(0)
      )
      yield* looksRight(visit, "Weather of the walk")
      expectNothingWrong(visit)
    }))

  test("a long, hostile document is shown only as text, in parts", () =>
    Effect.gen(function* () {
      const publisher = yield* publisherOn(yield* TestServer)
      const api = yield* publisher.newApi({
        name: "Hostile",
        description: "<img src=x onerror=alert(1)> [home](javascript:alert(1)) [guide](https://guide.test/a)"
      })
      const inner = { $ref: "#/components/schemas/Loop" }
      const paths = Object.fromEntries(
        Array.from({ length: 990 }, (_, index) => [
          `/things/${index}`,
          {
            get: {
              summary: `Thing ${index} <b>bold</b>`,
              description: `${"[".repeat(300)}<script>alert(1)</script>`,
              responses: { 200: { description: "It", content: { "application/json": { schema: inner } } } }
            }
          }
        ])
      )
      yield* addVersion(publisher, api, {
        openapi: openapi(
          {
            ...paths,
            "/odd'; echo pwned \n$(id)/{x}": {
              get: {
                summary: "Odd path",
                externalDocs: { url: "javascript:alert(1)" },
                responses: { 204: { description: "Nothing" } }
              }
            }
          },
          {
            components: {
              schemas: {
                Loop: {
                  type: "object",
                  description: "<iframe src=https://evil.test></iframe>",
                  properties: { again: inner, constructor: { type: "string" } }
                }
              }
            }
          }
        )
      })
      yield* publish(publisher, api)
      const { page, visit } = yield* openedDashboard(`/dashboard/marketplace/${api.id}`)
      yield* looksRight(visit, "Hostile")
      yield* act(() => page.getByText("991 operations").waitFor())
      yield* act(() => expect.poll(() => page.locator("details.operation").count()).toBe(50))
      // A description yields only one link, the one to the web.
      const links = page.locator(".prose a")
      yield* act(() => expect.poll(() => links.count()).toBe(1))
      yield* act(() => expect.poll(() => links.getAttribute("rel")).toBe("noopener noreferrer nofollow"))
      yield* act(() => page.getByText("(guide.test)").waitFor())

      yield* act(() => page.getByLabel("Find an operation").fill("thing 777"))
      yield* act(() => page.getByText("1 found").waitFor())
      yield* act(() => expect.poll(() => page.locator("details.operation").count()).toBe(1))
      yield* act(() => page.getByText("GET /things/777").click())
      yield* act(() => page.getByText("<script>alert(1)</script>").waitFor())
      // A recursive schema expands as far as the user opens it.
      for (let depth = 0; depth < 4; depth++) {
        const folded = `${"details.inside[open] ".repeat(depth)}details.inside:not([open]) > summary`
        yield* act(() => page.locator(folded).last().click())
      }
      yield* act(() => expect.poll(() => page.locator("details.inside[open]").count()).toBe(4))

      yield* act(() => page.getByLabel("Find an operation").fill("odd"))
      yield* act(() => page.getByText("Odd path").click())
      const command = yield* act(() => page.locator("details.operation pre").last().textContent())
      expect(command?.split("\n")[0]).toMatch(/^curl 'http:\/\/doorlock\.test\/gateway\/[^'\s]*' \\$/)
      yield* act(() =>
        expect.poll(() => page.locator("main iframe, main img, main script, .operation a").count()).toBe(0)
      )
      yield* act(() => page.getByLabel("Find an operation").fill("nothing of this"))
      yield* act(() => press(page, "Show all"))
      yield* act(() => press(page, "Show more"))
      yield* act(() => expect.poll(() => page.locator("details.operation").count()).toBe(100))
      yield* looksRight(visit, "Hostile")
      expectNothingWrong(visit)
    }))

  test("subscribers still see the name of an unpublished API; a viewer has no controls for changes", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const publisher = yield* publisherOn(server)
      const api = yield* weatherOf(publisher, "Weather that rests")
      const owner = yield* signUp(server)
      const { id } = subscribed(yield* subscriberOf(server, owner).subscribe(api))
      const { page, visit } = yield* openedDashboard(`/dashboard/marketplace/${api.id}`, {
        owner,
        role: "viewer",
        browser: { ...phone, colorScheme: "dark" }
      })
      yield* looksRight(visit, "Weather that rests")
      yield* act(() => page.getByText("You are subscribed to the plan “Starter”").waitFor())
      yield* act(() => expect.poll(() => page.getByRole("link", { name: "Subscribe" }).count()).toBe(0))
      yield* publisher.ask("POST", `/apis/${api.id}/unpublish`)
      yield* act(() => page.goto(`${visit.origin}/dashboard/subscriptions`))
      yield* looksRight(visit, "Subscriptions")
      const row = page.getByRole("row").filter({ hasText: "Weather that rests" })
      for (const shown of ["by Acme Ltd", "API not published", "60 calls a minute, 10,000 a month"]) {
        yield* act(() => row.getByText(shown).waitFor())
      }
      yield* act(() => row.getByRole("link").click())
      yield* looksRight(visit, "Weather that rests")
      yield* act(() => page.getByText("The publisher has removed this API from the marketplace").waitFor())
      yield* act(() => page.getByText("No calls in this period").waitFor())
      yield* act(() => expect.poll(() => page.getByRole("button", { name: /Revoke|Cancel/ }).count()).toBe(0))
      yield* act(() =>
        expect.poll(() => page.getByRole("link", { name: /Rotate|Create key|Documentation/ }).count()).toBe(0)
      )
      // The URL shows them no form either.
      yield* act(() => page.goto(`${visit.origin}/dashboard/subscriptions/${id}/keys/new`))
      yield* looksRight(visit, "Create a key")
      yield* act(() => page.getByText("You can view everything here, but not change it").waitFor())
      // The API's own page says that the API no longer exists.
      yield* act(() => page.goto(`${visit.origin}/dashboard/marketplace/${api.id}`))
      yield* act(() => page.getByRole("alert").getByText("API not found").waitFor())
      expectNothingWrong(visit)
    }))

  test("subscribing by keyboard alone; a second attempt links to the existing subscription", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const api = yield* weatherOf(yield* publisherOn(server), "Weather by keyboard")
      const { member, page, visit } = yield* openedDashboard(`/dashboard/marketplace/${api.id}/subscribe`)
      yield* looksRight(visit, "Subscribe to Weather by keyboard")
      const subscriber = subscriberOf(server, member)
      const { id } = subscribed(yield* subscriber.subscribe(api))
      const keys = ["Tab", "ArrowDown", "Tab", "w", "e", "b", "Enter"]
      for (const key of keys) yield* act(() => page.keyboard.press(key))
      yield* act(() => page.getByText("You are already subscribed").waitFor())
      yield* act(() => page.getByRole("link", { name: "See its keys and usage" }).click())
      yield* looksRight(visit, "Weather by keyboard")
      yield* act(() => expect.poll(() => new URL(page.url()).pathname).toBe(`/dashboard/subscriptions/${id}`))

      yield* subscriber.cancel(id)
      yield* act(() => page.goto(`${visit.origin}/dashboard/marketplace/${api.id}/subscribe`))
      yield* looksRight(visit, "Subscribe to Weather by keyboard")
      for (const key of keys) yield* act(() => page.keyboard.press(key))
      yield* looksRight(visit, "You are subscribed")
      const { body } = yield* subscriber.list
      expect(field(body, "subscriptions", 0, "plan", "name")).toBe("Unlimited")
      expectNothingWrong(visit)
    }))

  test("the usage period is in the URL; an invalid period is reported, and Back restores the period", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const api = yield* weatherOf(yield* publisherOn(server), "Weather by period")
      const owner = yield* signUp(server)
      const subscriber = subscriberOf(server, owner)
      const { id, keyId } = subscribed(yield* subscriber.subscribe(api))
      yield* subscriber.sql(
        `insert into api_usage (key_id, day, outcome, subscription_id, calls)
         select $1::uuid, (now() at time zone 'utc')::date - n, outcome, $2::uuid, calls
         from generate_series(0, 99) as n, (values ('2xx', 30), ('rate_limited', 2)) as o (outcome, calls)`,
        [keyId, id]
      )
      const { page, visit } = yield* openedDashboard(`/dashboard/subscriptions/${id}?period=90`, { owner })
      yield* looksRight(visit, "Weather by period")
      const figures = page.locator("dl.figures")
      yield* act(() => figures.getByText("2,880").waitFor())
      yield* act(() => figures.getByText("2,700").waitFor())
      yield* act(() => page.getByText("by week, UTC").waitFor())
      yield* act(() => page.getByRole("combobox", { name: "Period" }).selectOption("Last 30 days"))
      yield* act(() => figures.getByText("960").waitFor())
      yield* act(() => page.getByText("by day, UTC").waitFor())
      yield* act(() => expect.poll(() => new URL(page.url()).search).toBe("?period=30"))
      yield* act(() => page.getByText("Over the plan’s requests per minute").waitFor())

      yield* act(() => page.getByRole("combobox", { name: "Period" }).selectOption("From … to …"))
      yield* act(() => page.getByLabel("From", { exact: true }).fill("2026-02-02"))
      yield* act(() => page.getByLabel("To", { exact: true }).fill("2026-02-01"))
      yield* act(() => press(page, "Show"))
      yield* act(() => page.getByText("from must not be after to").waitFor())
      yield* act(() => page.getByLabel("To", { exact: true }).fill("2026-02-03"))
      yield* act(() => press(page, "Show"))
      yield* act(() => page.getByText("No calls in this period").waitFor())
      yield* act(() => expect.poll(() => new URL(page.url()).search).toBe("?from=2026-02-02&to=2026-02-03"))
      yield* goTo(visit, "Subscriptions")
      yield* act(() => page.goBack())
      yield* looksRight(visit, "Weather by period")
      yield* act(() => page.getByText("No calls in this period").waitFor())
      expectNothingWrong(visit)
    }))
})
