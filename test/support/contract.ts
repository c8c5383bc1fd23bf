/** Describes every route of the contract, for the tests that cover all routes. */
import * as HttpApi from "@effect/platform/HttpApi"
import { SchemaAST } from "effect"
import type { Role } from "../../src/accounts/model.ts"
import { Api } from "../../src/api.ts"
import { errorBody, type FailureRow } from "../../src/http/contract/error-responses.ts"
import { contractOf, type DeclaredRoute, type Route } from "../../src/http/contract/reflection.ts"

/** The credential that a route checks before anything else. */
export type Credential = "dashboard" | "key" | "none"

export interface ContractRoute extends DeclaredRoute {
  /** `POST /api/api-keys/:id/revoke`: the name used in test titles. */
  readonly name: string
  readonly credential: Credential
  /** For a dashboard route: the least privileged role that it admits. */
  readonly role: Role
  /** The fields of the route's body. */
  readonly fields: ReadonlyArray<string>
}

const details = new Map<string, Pick<ContractRoute, "credential" | "fields" | "role">>()

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, middleware, payloads }) => {
    const guards = new Set([...middleware].map(({ key }) => key))
    details.set(`${endpoint.method} ${endpoint.path}`, {
      role: guards.has("DashboardOwner") ? "owner" : guards.has("DashboardWriter") ? "member" : "viewer",
      credential: ["DashboardSession", "DashboardWriter", "DashboardOwner"].some((guard) => guards.has(guard))
        ? "dashboard"
        : [
              "SessionCreator",
              "SessionReader",
              "FileReader",
              "SessionRedactor",
              "EventReader",
              "WebhookReader",
              "WebhookWriter"
            ].some((guard) => guards.has(guard))
          ? "key"
          : "none",
      fields: [...payloads.values()].flatMap(({ ast }) =>
        SchemaAST.getPropertySignatures(SchemaAST.encodedAST(ast)).map(({ name }) => String(name))
      )
    })
  }
})

const contract = contractOf(Api)

/** Every route of the contract. */
export const routes: ReadonlyArray<ContractRoute> = contract.routes.map((route) => {
  const name = `${route.method} ${route.pattern}`
  return { ...route, name, ...(details.get(name) ?? { credential: "none", role: "viewer", fields: [] }) }
})

export const failureRows: ReadonlyArray<FailureRow> = [...contract.failureRows.values()]

/** The exact error body of a route, in that route's error form. */
export const errorOf = (route: Route, message: string) => errorBody(route.metadata?.form ?? "plain", message)

/** The path of a route with `id` in place of every parameter. */
export const pathOf = (route: Route, id: string = crypto.randomUUID()) =>
  route.pattern.replaceAll(/:\w+/g, id)

/** The paths of the contract, each with its routes. */
export const routesByPath: ReadonlyMap<string, ReadonlyArray<ContractRoute>> = Map.groupBy(
  routes,
  ({ pattern }) => pattern
)
