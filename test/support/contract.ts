/** The contract, walked: what the tests of every route need to know of each. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as SchemaAST from "effect/SchemaAST"
import type { Role } from "../../src/accounts/model.ts"
import { Api } from "../../src/api.ts"
import { errorBody, type FailureRow } from "../../src/http/contract/answers.ts"
import { contractOf, type DeclaredRoute, type Route } from "../../src/http/contract/reflection.ts"

/** What must be presented before a route looks at anything else. */
export type Credential = "dashboard" | "key" | "none"

export interface ContractRoute extends DeclaredRoute {
  /** `POST /api/api-keys/:id/revoke`, by which tests are named. */
  readonly name: string
  readonly credential: Credential
  /** Of a dashboard's route: the role that has the least rights of those it lets in. */
  readonly role: Role
  /** The fields it knows of that. */
  readonly fields: ReadonlyArray<string>
}

const details = new Map<string, Pick<ContractRoute, "credential" | "fields" | "role">>()

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, middleware, payloads }) => {
    const guards = new Set([...middleware].map(({ key }) => key))
    details.set(`${endpoint.method} ${endpoint.path}`, {
      role: guards.has("DashboardOwner") ? "owner" : guards.has("DashboardMember") ? "member" : "viewer",
      credential: ["DashboardSession", "DashboardMember", "DashboardOwner"].some((guard) => guards.has(guard))
        ? "dashboard"
        : ["SessionCreator", "SessionReader", "FileReader"].some((guard) => guards.has(guard))
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

/** The exact error body of a route, in its own form. */
export const errorOf = (route: Route, message: string) => errorBody(route.answers?.form ?? "plain", message)

/** The path of a route with `id` in place of every parameter. */
export const pathOf = (route: Route, id: string = crypto.randomUUID()) =>
  route.pattern.replaceAll(/:\w+/g, id)

/** The paths of the contract, and the routes of each. */
export const routesByPath: ReadonlyMap<string, ReadonlyArray<ContractRoute>> = Map.groupBy(
  routes,
  ({ pattern }) => pattern
)
