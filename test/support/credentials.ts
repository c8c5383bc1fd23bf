import { Context, Effect, Layer } from "effect"
import { onboard } from "./client.ts"
import { type ContractRoute, type Credential, pathOf } from "./contract.ts"
import { open } from "./http/raw.ts"
import { type RunningServer, sharedServer } from "./server.ts"

/** A company with every credential that the contract's routes require. */
export type Company = Effect.Effect.Success<ReturnType<typeof onboard>>

/**
 * A server with one company that a group of tests shares. These tests must not use up what the company has.
 */
export class TestCompany extends Context.Tag("TestCompany")<
  TestCompany,
  Company & { readonly server: RunningServer }
>() {
  static readonly layer = Layer.effect(
    TestCompany,
    Effect.orDie(
      Effect.gen(function* () {
        const server = yield* sharedServer
        return { server, ...(yield* onboard(server)) }
      })
    )
  )
}

const headersOf: Readonly<Record<Credential, (company: Company) => Readonly<Record<string, string>>>> = {
  dashboard: ({ member }) => ({ cookie: member.cookie }),
  key: ({ key }) => ({ "x-api-key": key.token }),
  none: () => ({})
}

/** The headers that pass the route's credential check, plus every other required header. */
export const credentialHeaders = (company: Company, { credential }: ContractRoute) => ({
  ...headersOf[credential](company),
  "idempotency-key": crypto.randomUUID()
})

/** The same headers as raw lines. */
export const credentialLines = (company: Company, route: ContractRoute): ReadonlyArray<string> =>
  Object.entries(credentialHeaders(company, route)).map(([name, value]) => `${name}: ${value}`)

/** A connection that has sent the head of a request to the route, with credentials and the given lines. */
export const begin = (route: ContractRoute, ...lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const company = yield* TestCompany
    const connection = yield* open(company.server)
    const head = [
      `${route.method} ${pathOf(route)} HTTP/1.1`,
      "Host: doorlock.test",
      ...credentialLines(company, route),
      ...lines
    ]
    connection.write(`${head.join("\r\n")}\r\n\r\n`)
    return connection
  })

/** Every field that a route with an id in its path requires. A route ignores fields that it does not know. */
export const anyBody = (token: string) => ({
  token,
  captchaToken: "x",
  siteKey: "x",
  keyHash: "0".repeat(64),
  secret: token,
  receipt: "x".repeat(32),
  code: "10",
  name: "x",
  role: "viewer",
  decision: "approved",
  text: "x",
  planId: "x",
  slug: "x",
  version: "1",
  upstreamUrl: "https://x.test",
  url: "https://x.test",
  since: new Date().toISOString()
})
