import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { onboard, send } from "../support/client.ts"
import { startServer } from "../support/server.ts"

/** A collector of OTLP over HTTP that keeps what it is sent. */
const collector = Effect.acquireRelease(
  Effect.sync(() => {
    const received: Array<string> = []
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        received.push(`${new URL(request.url).pathname} ${await request.text()}`)
        return Response.json({})
      }
    })
    return { url: `http://127.0.0.1:${server.port}`, received, stop: () => server.stop(true) }
  }),
  ({ stop }) => Effect.promise(stop)
)

it.scopedLive(
  "OTEL_EXPORTER_OTLP_ENDPOINT: server spans by route pattern, within the caller's trace, without secrets",
  () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
      const used = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
          const { key, member, session } = yield* onboard(server)
          const answer = yield* send(server, "GET", `${session.path}?token=${session.token}`, {
            headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
          })
          expect(answer.status).toBe(200)
          return {
            key: key.token,
            session: session.token,
            password: member.password,
            cookie: member.cookie,
            id: session.id
          }
        })
      )
      // What is pending is exported before the scope of the server closes.
      const exported = received.join("\n")
      expect(received.every((entry) => entry.startsWith("/v1/traces "))).toBe(true)
      expect(exported).toContain('"GET /api/kyc/public/sessions/:sessionId"')
      expect(exported).toContain('"POST /api/auth/signup"')
      expect(exported).toContain(traceId)
      for (const secret of [used.key, used.session, used.password, used.cookie.slice(20), used.id]) {
        expect(exported).not.toContain(secret)
      }
    }),
  30_000
)
