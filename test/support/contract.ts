/** Describes every route of the contract, for the tests that cover all routes. */
import * as HttpApi from "@effect/platform/HttpApi"
import { Cause, Effect, Exit, SchemaAST } from "effect"
import { expect } from "vitest"
import { type Users, userGuards } from "../../src/accounts/guards.ts"
import { Role, rolesThatMay } from "../../src/accounts/model.ts"
import { Api } from "../../src/api.ts"
import { errorBody, type FailureRow } from "../../src/http/contract/error-responses.ts"
import { contractOf, type DeclaredRoute, type Route } from "../../src/http/contract/reflection.ts"
import { callerGuards } from "../../src/keys/guards.ts"
import { namedScopes } from "../../src/keys/scopes-model.ts"
import { fileReader } from "../../src/kyc/files/guards.ts"
import { Agent } from "../../src/mcp/guards.ts"

/** The credential that a route checks before anything else. */
export type Credential = "dashboard" | "key" | "none"

export interface ContractRoute extends DeclaredRoute {
  /** `POST /api/api-keys/:id/revoke`: the name used in test titles. */
  readonly name: string
  /** `api-keys.revoke`: its group and its name there. */
  readonly operation: string
  readonly credential: Credential
  /** The roles of the dashboard users that it admits. */
  readonly roles: ReadonlyArray<Role>
  /** The fields of the route's body. */
  readonly fields: ReadonlyArray<string>
}

type Guarded = Pick<ContractRoute, "credential" | "roles">

const everyRole = Role.literals

const rolesOf = (users: Users | undefined): ReadonlyArray<Role> => {
  if (users === undefined) return []
  return users === "any" ? everyRole : rolesThatMay[users]
}

/** What each guard asks for. Of several guards, the last one here decides. */
const guarded: Readonly<Record<string, Guarded>> = {
  ...Object.fromEntries(
    userGuards
      .all()
      .map(({ guard, value }) => [
        guard.key,
        { credential: "dashboard" as const, roles: rolesOf(value.users) }
      ])
  ),
  ...Object.fromEntries(
    callerGuards.all().map(({ guard, value: { scope, users } }) => [
      guard.key,
      {
        credential: namedScopes.has(scope) ? ("dashboard" as const) : ("key" as const),
        roles: rolesOf(users)
      }
    ])
  ),
  [fileReader.key]: { credential: "key", roles: everyRole },
  [Agent.key]: { credential: "key", roles: [] }
}
const open: Guarded = { credential: "none", roles: [] }

const details = new Map<string, Pick<ContractRoute, "credential" | "fields" | "operation" | "roles">>()

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, middleware, payloads }) => {
    const guards = new Set([...middleware].map(({ key }) => key))
    const [, found = open] = Object.entries(guarded).findLast(([name]) => guards.has(name)) ?? []
    details.set(`${endpoint.method} ${endpoint.path}`, {
      ...found,
      operation: `${group.identifier}.${endpoint.name}`,
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
  return { ...route, name, ...(details.get(name) ?? { ...open, operation: "", fields: [] }) }
})

/** `named("POST /api/api-keys")`: one route, for a rule whose every form is tested on one. */
export const named = (name: string): ContractRoute => {
  const found = routes.find((route) => route.name === name)
  if (found === undefined) throw new Error(`The contract has no route ${name}`)
  return found
}

/** Checks each of the routes, also after one has failed, and fails with the names of all that did. */
export const onEach = <E, R>(
  checked: ReadonlyArray<ContractRoute>,
  check: (route: ContractRoute) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    expect(checked).not.toEqual([])
    const failures = yield* Effect.forEach(checked, (route) =>
      Effect.map(
        Effect.exit(check(route)),
        Exit.match({
          onSuccess: () => [],
          onFailure: (cause) => [`${route.name}: ${Cause.squash(cause)}`]
        })
      )
    )
    if (failures.flat().length > 0) expect.fail(failures.flat().join("\n"))
  })

/** The scopes without which the route refuses a key. */
export const scopesOf = ({ failures }: DeclaredRoute): ReadonlyArray<string> => [
  ...new Set(
    failures.flatMap(({ message }) => /^API key does not have the scope (.+)$/.exec(message)?.[1] ?? [])
  )
]

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
