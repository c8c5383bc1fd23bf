/** An API to call through the gateway. */
import { Effect } from "effect"
import { type Member, send, text } from "../support/client.ts"
import type { Server } from "./servers.ts"

/** Where it is called. */
export const publishedPath = "/gateway/bench/small/v/1"

const need = (answered: ReturnType<typeof send>) =>
  Effect.flatMap(answered, (answer) =>
    answer.status < 300 ? Effect.succeed(answer.body) : Effect.die(new Error(answer.text))
  )

/** An API of the upstream, published, and a key to call it with. */
export const subscribed = (server: Server, member: Member, upstreamUrl: string) =>
  Effect.gen(function* () {
    const post = (path: string, json: unknown = {}, headers: Readonly<Record<string, string>> = {}) =>
      need(
        send(server, "POST", `/api/api-marketplace${path}`, {
          headers: { cookie: member.cookie, ...headers },
          json
        })
      )
    yield* post("/publishers", { slug: "bench", name: "Bench" })
    const api = text(yield* post("/apis", { slug: "small", name: "Small" }), "api", "id")
    yield* post(`/apis/${api}/versions`, { version: "1", upstreamUrl })
    const planId = text(yield* post(`/apis/${api}/plans`, { name: "free" }), "plan", "id")
    yield* post(`/apis/${api}/publish`)
    const made = yield* post(
      `/apis/${api}/subscribe`,
      { planId, name: "bench" },
      { "idempotency-key": crypto.randomUUID() }
    )
    return text(made, "token")
  })
