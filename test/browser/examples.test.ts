/** docs/examples/react, with a running server. */
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent } from "../support/browser/kyc-page.ts"
import { act, press, visitor } from "../support/browser/visit.ts"
import { createInstance, createKey, signUp } from "../support/client.ts"
import { copied, started } from "../support/examples.ts"
import { freePort } from "../support/machine/free-port.ts"
import { type RunningServer, startServer } from "../support/server.ts"

/** A server whose links lead to itself. */
class OwnServer extends Context.Tag("OwnServer")<OwnServer, RunningServer>() {
  static readonly layer = Layer.scoped(
    OwnServer,
    Effect.flatMap(freePort, (port) =>
      Effect.orDie(startServer({ PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` }))
    )
  )
}

inBrowser(OwnServer.layer)("docs/examples/react", (test) => {
  test("shows the hosted page in its own, says how far it is, and asks its server for the result", () =>
    Effect.gen(function* () {
      const server = yield* OwnServer
      const port = yield* freePort
      const origin = `http://localhost:${port}`
      const member = yield* signUp(server)
      const key = yield* createKey(server, member)
      const instance = yield* createInstance(server, member, {
        config: { embed: { allowedOrigins: [origin] } },
        workflow: {
          steps: [
            { id: "consent", type: "consent" },
            { id: "review", type: "review" }
          ]
        }
      })
      const folder = yield* copied(server, "react", ["react", "react-dom"])
      const environment = {
        DOORLOCK_URL: server.url,
        DOORLOCK_API_KEY: key.token,
        DOORLOCK_INSTANCE: instance.publicKey,
        PORT: String(port)
      }
      yield* started(environment, join(folder, "server.ts"))
      const { page, seen } = yield* visitor({ server })
      yield* act(() => page.goto(origin))
      yield* act(() => press(page, "Verify me"))
      const status = page.getByRole("status")
      yield* act(() => expect.poll(() => status.textContent()).toBe("Step 1 of 2"))
      const frame = page.frameLocator("doorlock-verification iframe")
      yield* act(() => consent(frame))
      yield* act(() => expect.poll(() => status.textContent()).toBe("Step 2 of 2"))
      yield* act(() => frame.getByRole("button", { name: "Send" }).click())
      yield* act(() => page.getByRole("heading", { name: "You are verified" }).waitFor())
      // React has removed the element, and with it the frame.
      yield* act(() => expect.poll(() => page.locator("iframe").count()).toBe(0))
      expect(seen.errors).toEqual([])
    }))
})
