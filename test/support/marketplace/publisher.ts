/** Helpers for tests with publishers: a publishing company and its APIs. */
import { Effect } from "effect"
import { type Answer, type Member, send, signUp, text } from "../client.ts"
import type { RunningServer } from "../server.ts"

export const marketplace = "/api/api-marketplace"

/** A slug that nobody else has. */
export const freshSlug = () => `s-${crypto.randomUUID().slice(0, 18)}`

/** A small document for each version of the specification. */
export const openapi = (paths: object = {}, more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "Test", version: "1" },
  paths,
  ...more
})

/** A name that no resolver resolves. */
export const upstreamUrl = "https://api.upstream.test/base"

const need = (status: number, answered: Effect.Effect<Answer>) =>
  Effect.flatMap(answered, (answer) =>
    answer.status === status
      ? Effect.succeed(answer.body)
      : Effect.die(new Error(`Expected ${status}, got ${answer.status} ${answer.text}`))
  )

export interface TestPublisher {
  readonly server: RunningServer
  readonly member: Member
  readonly slug: string
  /** Sends a request as the dashboard user. */
  readonly ask: (method: string, path: string, json?: unknown) => Effect.Effect<Answer>
  readonly newApi: (fields?: object) => Effect.Effect<TestApi>
}

export interface TestApi {
  readonly id: string
  readonly slug: string
  /** `/api/api-marketplace/apis/<id>` */
  readonly path: string
}

/** A company with calls as its dashboard user. */
export const askingAs =
  (server: RunningServer, { cookie }: Member) =>
  (method: string, path: string, json?: unknown): Effect.Effect<Answer> =>
    send(server, method, marketplace + path, {
      headers: { cookie },
      ...(json === undefined ? {} : { json })
    })

/** Turns the member's company into a publisher. */
export const becomePublisher = (
  server: RunningServer,
  member: Member,
  { name = "Acme Ltd", slug = freshSlug() }: { readonly name?: string; readonly slug?: string } = {}
): Effect.Effect<TestPublisher> =>
  Effect.gen(function* () {
    const ask = askingAs(server, member)
    yield* need(201, ask("POST", "/publishers", { slug, name }))
    return {
      server,
      member,
      slug,
      ask,
      newApi: (fields = {}) =>
        Effect.gen(function* () {
          const body = yield* need(201, ask("POST", "/apis", { slug: freshSlug(), name: "Test", ...fields }))
          const id = text(body, "api", "id")
          return { id, slug: text(body, "api", "slug"), path: `${marketplace}/apis/${id}` }
        })
    }
  })

/** A new company that is a publisher. */
export const publisherOn = (server: RunningServer, slug = freshSlug()): Effect.Effect<TestPublisher> =>
  Effect.flatMap(signUp(server), (member) => becomePublisher(server, member, { slug }))

/** Creates a version of the API. `fields` are added to the request or replace its fields. */
export const addVersion = ({ ask }: TestPublisher, { id }: TestApi, fields: object = {}) =>
  need(201, ask("POST", `/apis/${id}/versions`, { version: "1", upstreamUrl, ...fields }))

/** Creates a plan of the API and returns its id. */
export const addPlan = ({ ask }: TestPublisher, { id }: TestApi, fields: object = {}) =>
  Effect.map(need(201, ask("POST", `/apis/${id}/plans`, { name: "Starter", ...fields })), (body) =>
    text(body, "plan", "id")
  )

export const publish = ({ ask }: TestPublisher, { id }: TestApi) =>
  need(200, ask("POST", `/apis/${id}/publish`))

/** Publishes an API with one version that has this document. */
export const publishedApi = (publisher: TestPublisher, document?: object, fields: object = {}) =>
  Effect.gen(function* () {
    const api = yield* publisher.newApi(fields)
    yield* addVersion(publisher, api, document === undefined ? {} : { openapi: document })
    yield* publish(publisher, api)
    return api
  })
