/** `bun cli events`, with a real server. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { cli, jsonOf } from "../support/cli.ts"
import { field } from "../support/client.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** A company, and the environment with its key. */
const start = Effect.gen(function* () {
  const server = yield* TestServer
  const company = yield* companyOn(server)
  return { server, company, environment: { DOORLOCK_API_KEY: company.key.token } }
})

suite(TestServer.layer)("bun cli events", (it) => {
  it.effect("lists the newest first, filtered, and continues after a cursor", () =>
    Effect.gen(function* () {
      const { company, environment: env, server } = yield* start
      const sessions = [yield* company.newSession(), yield* company.newSession()]
      const events = (words: ReadonlyArray<string>) => cli(["events", "--url", server.url, ...words], { env })
      const shown = yield* events(["--type", "kyc.*"])
      expect(shown.stderr).toBe("")
      const lines = shown.stdout.trim().split("\n")
      expect(lines[0]).toMatch(/^AT +TYPE +OF +ID$/)
      expect(lines.slice(1).map((line) => line.split(/ +/)[2])).toEqual(
        sessions.map(({ id }) => id).reverse()
      )
      const ofOne = jsonOf(yield* events(["--resource", sessions[0]?.id ?? "", "--json"]))
      expect(field(ofOne, "events", 0, "data", "id")).toBe(sessions[0]?.id)
      const page = jsonOf(yield* events(["--after", "now", "--json"]))
      expect(field(page, "events")).toEqual([])
      yield* company.complete(sessions[0] ?? { id: "", path: "", token: "" })
      const next = jsonOf(yield* events(["--after", String(field(page, "next_cursor")), "--json"]))
      expect(field(next, "events")).toMatchObject([{ type: "kyc.session.completed" }])
      expect((yield* events(["--type", "marketplace.*"])).stdout).toBe("There are no such events.\n")
    })
  )

  it.effect(
    "refuses no key, one that was cut off, a bad type or address, and an installation that cannot be reached",
    () =>
      Effect.gen(function* () {
        const { environment, server } = yield* start
        for (const [words, env, exitCode, sentence] of [
          [
            ["--url", server.url],
            { DOORLOCK_API_KEY: "" },
            3,
            "DOORLOCK_API_KEY is not set. Create a platform API key with the scope events:read in the dashboard, or, beside the database, with: bun cli key create --name listen --scope events:read"
          ],
          [
            ["--url", "http://127.0.0.1:1"],
            environment,
            4,
            "http://127.0.0.1:1 cannot be read: nothing listens there."
          ],
          [
            ["--url", server.url],
            { DOORLOCK_API_KEY: "dlk_PYBgDwLVOIAGKf7g8MEXJ3viHWM4xq9GoUaSMg" },
            3,
            "DOORLOCK_API_KEY is not a platform API key: it does not begin with dlk_, or was not copied whole."
          ],
          [
            ["--url", server.url, "--type", "kyc"],
            environment,
            2,
            "type must be an event type such as kyc.session.completed, or a prefix such as kyc.*."
          ],
          [["--url", "ftp://localhost"], environment, 2, "--url must be an http or https URL."]
        ] as const) {
          const ran = yield* cli(["events", ...words], { env, exitCode })
          expect([ran.stdout, ran.stderr.split("\n")[0]]).toEqual(["", `doorlock: ${sentence}`])
        }
      })
  )
})
