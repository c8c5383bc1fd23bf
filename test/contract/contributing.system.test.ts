/** The recipes of docs/CONTRIBUTING.md, followed by the letter. `bun run check` looks at their types. */
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { field, onboard, send } from "../support/client.ts"
import { emptyDatabase } from "../support/database.ts"
import { unknownId } from "../support/kyc/partner.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runUntilReady } from "../support/program.ts"
import { followRecipes } from "../support/run/recipes.ts"
import { anInstant } from "../support/shapes.ts"

it.scopedLive(
  "followed to the letter, the recipes add a table, two routes, an event, a page and a command",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.promise(() => followRecipes(folder))
      const databaseUrl = yield* emptyDatabase
      const environment = {
        DATABASE_URL: Redacted.value(databaseUrl),
        SECRET_KEY: "a secret key for tests, 32 bytes at least",
        DATA_DIR: join(folder, "data"),
        LOG_LEVEL: "warning",
        SIGNUP: "open"
      }
      const program = yield* runUntilReady(environment, join(folder, "src/main.ts"))
      const server = { url: program.url, databaseUrl }
      const { member, session } = yield* onboard(server)
      const headers = { cookie: member.cookie }

      const path = `/api/kyc/sessions/${session.id}/labels`
      const added = yield* send(server, "POST", path, { headers, json: { text: " VIP " } })
      const label = { id: expect.any(String), text: "VIP", created_at: anInstant }
      expect([added.status, added.body]).toStrictEqual([201, { label }])
      const listed = yield* send(server, "GET", path, { headers })
      expect([listed.status, listed.body]).toStrictEqual([200, { labels: [field(added.body, "label")] }])
      const empty = yield* send(server, "POST", path, { headers, json: {} })
      expect([empty.status, empty.body]).toStrictEqual([400, { error: "text is required" }])
      const absent = yield* send(server, "POST", `/api/kyc/sessions/${unknownId}/labels`, {
        headers,
        json: { text: "x" }
      })
      expect([absent.status, absent.body]).toStrictEqual([404, { error: "Session not found" }])
      const unknown = yield* send(server, "GET", `/api/kyc/sessions/${unknownId}/labels`, { headers })
      expect([unknown.status, unknown.body]).toStrictEqual([404, { error: "Session not found" }])
      expect((yield* send(server, "POST", path, { json: { text: "x" } })).status).toBe(401)

      const events = yield* send(server, "GET", "/api/audit-events?action=kyc_session.labelled", { headers })
      expect(field(events.body, "events")).toMatchObject([
        { action: "kyc_session.labelled", resource: { id: session.id } }
      ])

      const page = yield* send(server, "GET", "/dashboard")
      const script = /<script type="module" src="([^"]+)"/.exec(page.text)?.[1] ?? ""
      const part = /import\("\.\/(labels-[^"]+)"\)/.exec((yield* send(server, "GET", script)).text)?.[1]
      expect((yield* send(server, "GET", `/dashboard/assets/${part}`)).text).toContain("No labels yet")

      const command = Bun.spawn(
        [
          process.execPath,
          join(folder, "src/cli.ts"),
          "label",
          "list",
          session.id,
          "--company",
          member.companyId,
          "--json"
        ],
        { env: { ...environment, PATH: process.env.PATH }, stdout: "pipe", stderr: "pipe" }
      )
      expect(yield* Effect.promise(() => new Response(command.stdout).json())).toStrictEqual(listed.body)
    })
)
