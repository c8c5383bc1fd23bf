/**
 * KYC and marketplace walked by a client that is made from the description alone. Compiled with `tsc --strict` against the
 * types that `openapi-typescript` writes, and without a single cast: what does not compile here, no customer can write.
 */
import createClient from "openapi-fetch"
import type { paths } from "./schema.d.ts"

const baseUrl = process.argv[2] ?? ""
const tokens = { session: "", key: "" }
const client = createClient<paths>({ baseUrl })
client.use({
  onRequest: ({ request }) => {
    if (tokens.key !== "" && request.url.endsWith("/api/kyc/public/sessions"))
      request.headers.set("x-api-key", tokens.key)
    else if (tokens.session !== "") request.headers.set("authorization", `Bearer ${tokens.session}`)
    return request
  }
})

/** The good answer; anything else ends the walk. */
const good = <A>(
  step: string,
  { data, error, response }: { data?: A; error?: { error: string }; response: Response }
): A => {
  if (data === undefined) {
    throw new Error(`${step}: ${response.status} ${response.headers.get("doorlock-error")} ${error?.error}`)
  }
  return data
}

const email = `walk-${crypto.randomUUID()}@example.com`
const password = "correct horse battery staple"
const signup = await client.POST("/api/auth/signup", { body: { companyName: "Walk", email, password } })
const owner = good("sign-up", signup)
tokens.session = /dashboard_session=([^;]+)/.exec(signup.response.headers.get("set-cookie") ?? "")?.[1] ?? ""

const { token: apiKey } = good(
  "key",
  await client.POST("/api/api-keys", { body: { name: "walk", scopes: ["kyc:sessions"] } })
)
const { instance } = good(
  "instance",
  await client.POST("/api/kyc/instances", {
    body: { name: "walk", workflow: { v: 1, id: "walk", version: 1, steps: [] } }
  })
)

tokens.key = apiKey
const idempotencyKey = crypto.randomUUID()
const createOnce = () =>
  client.POST("/api/kyc/public/sessions", {
    params: { header: { "idempotency-key": idempotencyKey } },
    body: { instanceKey: instance.public_key, externalReference: "customer-42", metadata: { a: 1, b: [2] } }
  })
const created = good("session", await createOnce())
const again = good("session again", await createOnce())
if (again.sessionToken !== created.sessionToken) throw new Error("A retried create made another session")

const path = { sessionId: created.session.id }
const token = created.sessionToken
good(
  "progress",
  await client.POST("/api/kyc/public/sessions/{sessionId}/progress", {
    params: { path },
    body: { token, status: "running", progress: { s_person: { givenName: "Ada" } } }
  })
)
good(
  "dedup",
  await client.POST("/api/kyc/public/sessions/{sessionId}/dedup-check", {
    params: { path },
    body: { token, keyHash: "a".repeat(64) }
  })
)
const completed = good(
  "complete",
  await client.POST("/api/kyc/public/sessions/{sessionId}/complete", {
    params: { path },
    body: { token, result: { outcome: "submitted" } }
  })
)
if (completed.session.status !== "completed") throw new Error(`It is ${completed.session.status}`)

const listed = good(
  "list",
  await client.GET("/api/kyc/sessions", {
    params: { query: { limit: 20, status: "completed", expired: false } }
  })
)
const [first] = listed.sessions
if (first?.metadata?.a !== 1) throw new Error("The metadata did not come back")

const noFile = await client.GET("/api/kyc/sessions/{id}/files/{fileId}", {
  params: { path: { id: created.session.id, fileId: crypto.randomUUID() }, query: { original: true } }
})
if (noFile.response.headers.get("doorlock-error") !== "file-not-found")
  throw new Error("A file that was not uploaded is there")

good(
  "publisher",
  await client.POST("/api/api-marketplace/publishers", {
    body: { slug: `walk-${owner.user.id}`, name: "Walk" }
  })
)
const { api } = good(
  "API",
  await client.POST("/api/api-marketplace/apis", { body: { slug: "walk", name: "Walk" } })
)
const ofApi = { path: { apiId: api.id } }
// doorlock's own description, published on doorlock's own marketplace.
const own: unknown = await (await fetch(`${baseUrl}/openapi.json`)).json()
const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === "object" && value !== null
if (!isObject(own)) throw new Error("The description is no object")
good(
  "version",
  await client.POST("/api/api-marketplace/apis/{apiId}/versions", {
    params: ofApi,
    body: { version: "1", upstreamUrl: baseUrl, openapi: own }
  })
)
const { plan } = good(
  "plan",
  await client.POST("/api/api-marketplace/apis/{apiId}/plans", { params: ofApi, body: { name: "free" } })
)
good("publish", await client.POST("/api/api-marketplace/apis/{apiId}/publish", { params: ofApi }))
const catalogue = good(
  "catalogue",
  await client.GET("/api/api-marketplace/apis", { params: { query: { limit: 20, offset: 0 } } })
)
if (catalogue.apis.length === 0) throw new Error("The catalogue is empty")
const subscribed = good(
  "subscribe",
  await client.POST("/api/api-marketplace/apis/{apiId}/subscribe", {
    params: { ...ofApi, header: { "idempotency-key": crypto.randomUUID() } },
    body: { planId: plan.id, name: "walk" }
  })
)

// And called through the gateway, which is as good as calling doorlock itself.
const throughGateway = await fetch(`${baseUrl}/gateway/walk-${owner.user.id}/walk/v/1/healthz`, {
  headers: { "x-api-key": subscribed.token }
})
if (!throughGateway.ok) throw new Error(`The gateway answers ${throughGateway.status}`)

good(
  "rotate",
  await client.POST("/api/api-marketplace/keys/{id}/rotate", {
    params: { path: { id: subscribed.apiKey.id } },
    body: {}
  })
)
good(
  "cancel",
  await client.POST("/api/api-marketplace/subscriptions/{id}/cancel", {
    params: { path: { id: subscribed.subscription.id } }
  })
)
const unknown = await client.GET("/api/api-marketplace/apis/{apiId}", {
  params: { path: { apiId: crypto.randomUUID() } }
})
if (unknown.response.headers.get("doorlock-error") !== "api-not-found")
  throw new Error("An error without its code")
good("logout", await client.POST("/api/auth/logout"))
process.stdout.write("walked\n")
