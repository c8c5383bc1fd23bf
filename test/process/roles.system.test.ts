/** ROLE (docs/operations.md#roles): what processes of each role serve, and that processes of three roles work as one service. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { Listening } from "../../src/http/runtime/listening.ts"
import { workerOf } from "../../src/process/program.ts"
import { finding } from "../support/cli.ts"
import { createKey, send, signUp, text } from "../support/client.ts"
import { routesByPath } from "../support/contract.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { okUpstream } from "../support/marketplace/callable-api.ts"
import { addPlan, addVersion, becomePublisher, publish } from "../support/marketplace/publisher.ts"
import { subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { execute, temporaryFolder, databaseUrl as urlOf } from "../support/postgres.ts"
import { runOn } from "../support/program.ts"
import { forTests } from "../support/server.ts"
import { withTimes } from "../support/timing.ts"
import { startReceiver } from "../support/webhooks/receiver.ts"

const secretKey = "a secret key for tests, 32 bytes at least"

/** A serving process of this role, in this process. */
const startRole = (role: string, databaseUrl: Redacted.Redacted<string>) =>
  Effect.gen(function* () {
    const serving = workerOf({
      ROLE: role,
      HOST: "127.0.0.1",
      PORT: "0",
      BASE_URL: "http://doorlock.test",
      DATABASE_URL: Redacted.value(databaseUrl),
      DATABASE_POOL: "2",
      DATA_DIR: yield* temporaryFolder,
      LOG_LEVEL: "none",
      ...(role === "gateway" ? {} : { SECRET_KEY: secretKey })
    })
    const context = yield* Layer.build(Layer.provide(serving, forTests))
    return { url: `http://127.0.0.1:${Context.get(context, Listening).port}`, databaseUrl }
  })

const operations = new Set(["/healthz", "/readyz", "/metrics"])

const pages = [
  ...["/", "/dashboard", "/dashboard/keys", "/dashboard/preview", "/docs", "/llms.txt"],
  ...["/openapi.json", "/kyc/session/x", "/kyc/session/x/done", "/kyc/embed.js", "/receipt"],
  "/client/doorlock-client.tgz"
]

describe("each role serves its routes and no others", () => {
  for (const role of ["all", "api", "gateway", "work"]) {
    it.scopedLive(role, () =>
      Effect.gen(function* () {
        const server = yield* startRole(role, yield* freshDatabase)
        const hasApi = role === "all" || role === "api"
        /** The methods of a path, which an unknown method is told. */
        const allowed = (path: string) =>
          Effect.map(send(server, "PROPFIND", path), ({ headers, status }) => [
            path,
            status,
            headers.get("allow")
          ])
        for (const [path, routes] of routesByPath) {
          const methods = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
          expect(yield* allowed(path)).toEqual(
            hasApi || operations.has(path) ? [path, 405, methods.sort().join(", ")] : [path, 404, null]
          )
        }
        for (const path of pages) {
          expect(yield* allowed(path)).toEqual(hasApi ? [path, 405, "GET, HEAD"] : [path, 404, null])
        }
        for (const path of operations) expect((yield* send(server, "GET", path)).status).toBe(200)
        const call = yield* send(server, "GET", "/gateway/a/b/v/1/c")
        expect([call.status, call.headers.get("doorlock-error")]).toEqual(
          role === "all" || role === "gateway" ? [401, "invalid-api-key"] : [404, "not-found"]
        )
      })
    )
  }
})

/** The rights of docs/security.md for the role of gateways, given to a role of this database. */
const gatewayUrl = (databaseUrl: Redacted.Redacted<string>) =>
  Effect.gen(function* () {
    const admin = Redacted.make(inject("postgres").adminUrl)
    const name = `${inject("postgres").prefix}_gateway_${crypto.randomUUID().slice(0, 8)}`.replaceAll(
      "-",
      "_"
    )
    const page = yield* Effect.promise(() =>
      readFile(join(import.meta.dirname, "../../docs/security.md"), "utf8")
    )
    const [, statements = ""] = /\n(create role doorlock_gateway [\s\S]*?)\n```/.exec(page) ?? []
    expect(statements).not.toBe("")
    yield* Effect.addFinalizer(() =>
      Effect.orDie(
        Effect.zipRight(
          execute(databaseUrl, `drop owned by ${name}`),
          execute(admin, `drop role if exists ${name}`)
        )
      )
    )
    for (const statement of statements.split(";")) {
      if (statement.trim() !== "") {
        yield* execute(databaseUrl, statement.replaceAll("doorlock_gateway", name))
      }
    }
    const url = new URL(Redacted.value(urlOf(admin, new URL(Redacted.value(databaseUrl)).pathname.slice(1))))
    url.username = name
    url.password = "..."
    return Redacted.make(url.href)
  })

it.scopedLive(
  "processes of the roles api, gateway and work are one service; the gateway needs no SECRET_KEY, and few rights",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const settings = {
        SIGNUP: "open",
        SEED_DEMO: "false",
        GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
        DATA_DIR: yield* temporaryFolder
      }
      const [api, gateway] = yield* Effect.all(
        [
          runOn(databaseUrl, { ...settings, ROLE: "api" }),
          runOn(yield* gatewayUrl(databaseUrl), { ...settings, ROLE: "gateway", SECRET_KEY: "" }),
          runOn(databaseUrl, { ...settings, ROLE: "work" })
        ],
        { concurrency: "unbounded" }
      )

      const member = yield* signUp(api)
      const receiver = yield* startReceiver
      const endpoint = yield* send(api, "POST", "/api/webhook-endpoints", {
        headers: { cookie: member.cookie },
        json: { url: receiver.url }
      })
      expect(endpoint.status).toBe(201)
      yield* createKey(api, member)
      yield* eventually(
        "a process with ROLE=work has delivered the webhook",
        () => receiver.received.length > 0
      )
      expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ type: "api_key.created" })

      const publisher = yield* becomePublisher(api, member)
      const published = yield* publisher.newApi()
      yield* addVersion(publisher, published, { upstreamUrl: yield* okUpstream })
      const planId = yield* addPlan(publisher, published)
      yield* publish(publisher, published)
      const subscriber = subscriberOf(api, member)
      const { keyId, token } = subscribed(yield* subscriber.subscribe({ id: published.id, planId }))
      const path = `/gateway/${publisher.slug}/${published.slug}/v/1/any`
      const call = send(gateway, "GET", path, { headers: { "x-api-key": token } })
      expect((yield* call).text).toBe("ok")
      expect((yield* call).text).toBe("ok")
      yield* eventually(
        "the gateway has written the usage",
        Effect.map(
          execute(databaseUrl, "select sum(calls)::int as calls from api_usage"),
          ([row]) => row?.calls === 2
        )
      ).pipe(Effect.mapError((error) => new Error(`${error.message}: ${gateway.output()}`)))
      expect((yield* subscriber.revoke(keyId)).status).toBe(200)
      yield* eventually(
        "the gateway refuses the revoked key",
        Effect.map(call, ({ status }) => status === 401)
      )
      expect(text((yield* call).body, "error")).toBe("Invalid API key")
      expect(gateway.output()).toMatch(/listens on \S+ as \S+; it is a gateway only/)
    })
)

it.scopedLive(
  "a gateway waits until another process has applied all migrations, and refuses to start without",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const [last] = yield* execute(
        databaseUrl,
        "delete from schema_migrations where version = (select max(version) from schema_migrations) returning *"
      )
      const refusal = yield* Effect.flip(
        startRole("gateway", databaseUrl).pipe(withTimes({ timeouts: { "db.schema": 0 } }))
      )
      expect(refusal).toMatchObject({
        message: `The database lacks the migration ${last?.name}; a gateway applies none: start a process with another ROLE, or run bun cli migrate.`
      })
      // The one that was refused has read them too.
      const [before] = yield* execute(databaseUrl, "select clock_timestamp()::text as now")
      const waiting = yield* Effect.fork(startRole("gateway", databaseUrl))
      yield* eventually(
        "the gateway has read which migrations are applied",
        Effect.map(
          execute(
            databaseUrl,
            `select from pg_stat_activity where datname = current_database() and query_start > $1
               and query like '%from schema_migrations order by version'`,
            [before?.now]
          ),
          ({ length }) => length > 0
        )
      )
      yield* execute(
        databaseUrl,
        "insert into schema_migrations (version, name, checksum, applied_at) values ($1, $2, $3, $4)",
        [last?.version, last?.name, last?.checksum, last?.applied_at]
      )
      expect((yield* send(yield* Fiber.join(waiting), "GET", "/readyz")).status).toBe(200)
    })
)

it.scopedLive("doctor and the metrics of ROLE=api say that no process moves events", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    yield* execute(
      databaseUrl,
      "insert into event_outbox (company_id, type, data, created_at) values (gen_random_uuid(), 'api_key.created', '{}', now() - interval '1 hour')"
    )
    const api = yield* startRole("api", databaseUrl)
    yield* eventually(
      "the metrics say how long the event has waited",
      Effect.map(
        send(api, "GET", "/metrics"),
        ({ text }) => Number(/^doorlock_events_waiting_seconds\S* (\S+)$/m.exec(text)?.[1]) >= 3_600
      )
    )
    const environment = {
      DATABASE_URL: Redacted.value(databaseUrl),
      SECRET_KEY: secretKey,
      DATA_DIR: yield* temporaryFolder
    }
    expect(yield* finding("work", { env: environment })).toEqual({
      name: "work",
      status: "failed",
      message: expect.stringMatching(
        /^Events have waited for \d{4,} s to be moved to the log, so no webhook is sent for them\.$/
      ),
      advice: "Check that a process with ROLE=all or ROLE=work runs, and that it can write to the database."
    })
  })
)
