import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, Either, Option, ParseResult, type Schema, type SchemaAST } from "effect"
import { type FailureRow, failureRowOf, RouteMetadata } from "./error-responses.ts"
import { NoFields } from "./fields.ts"
import { type Guard, guardOf } from "./guard.ts"

/** A route: its name in logs and metrics, and its responses. */
export interface Route {
  readonly method: string
  /** For example `/api/api-keys/:id/revoke`. */
  readonly pattern: string
  readonly metadata: RouteMetadata | undefined
}

export interface DeclaredRoute extends Route {
  readonly metadata: RouteMetadata
  readonly failures: ReadonlyArray<FailureRow>
  readonly guards: ReadonlyArray<Guard>
  /** Whether it takes a JSON body (`http/runtime/body`); routes check bodies of bytes themselves. */
  readonly takesBody: boolean
  /** Whether a JSON body is required: `optional` if an empty object is valid, `none` without fields. */
  readonly body: "required" | "optional" | "none"
}

export interface Contract {
  readonly routes: ReadonlyArray<DeclaredRoute>
  /** By error class: each has one status and body in the whole API. */
  readonly failureRows: ReadonlyMap<unknown, FailureRow>
}

const rowsOf = (ast: SchemaAST.AST): ReadonlyArray<FailureRow> => {
  const row = failureRowOf(ast)
  if (row !== undefined) return [row]
  return ast._tag === "Union" ? ast.types.flatMap(rowsOf) : []
}

/** An absent body is read as an empty object (`http/runtime/body`). */
const needOf = (schema: Schema.Schema.All): DeclaredRoute["body"] => {
  if (schema.ast === NoFields.ast) return "none"
  // The cast: `HttpApi` allows schemas that need services; doorlock's need none.
  const decode = ParseResult.decodeUnknownEither(schema as Schema.Schema<unknown>)
  return Either.isRight(decode({})) ? "optional" : "required"
}

/** Throws if middleware has no description, or not exactly one of guards and route says who may call. */
const guardsOf = (
  route: string,
  { caller }: RouteMetadata,
  middleware: ReadonlySet<HttpApiMiddleware.TagClassAny>
): ReadonlyArray<Guard> => {
  const guards = [...middleware].map((tag) => {
    const guard = guardOf(tag)
    if (guard === undefined) throw new Error(`${route}: ${tag.key} has to say whom it lets in, by \`guard\``)
    return guard
  })
  const isGuarded = guards.some(({ credentials }) => credentials.length > 0)
  if (isGuarded === (caller !== undefined)) {
    throw new Error(`${route}: has to say who may call, by its middleware or by itself`)
  }
  return guards
}

const read = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Contract => {
  const routes: Array<DeclaredRoute> = []
  const failureRows = new Map<unknown, FailureRow>()
  const add = (row: FailureRow) => {
    const known = failureRows.get(row.errorClass)
    if (
      known !== undefined &&
      (known.status !== row.status ||
        known.code !== row.code ||
        // A message with a detail is an example, and each route may have its own.
        (row.isConstant && known.message !== row.message))
    ) {
      throw new Error(
        `${row.name} has two rows: ${known.status} ${known.message}, ${row.status} ${row.message}`
      )
    }
    if (known === undefined) failureRows.set(row.errorClass, row)
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware, payloads }) => {
      const asts = [
        endpoint.errorSchema.ast,
        group.errorSchema.ast,
        ...[...middleware].map((tag) => tag.failure.ast)
      ]
      const metadata = Context.get(endpoint.annotations as Context.Context<RouteMetadata>, RouteMetadata)
      const failures = asts.flatMap(rowsOf)
      for (const row of failures) add(row)
      routes.push({
        method: endpoint.method,
        pattern: endpoint.path,
        metadata,
        failures,
        guards: guardsOf(`${endpoint.method} ${endpoint.path}`, metadata, middleware),
        takesBody: [...payloads.values()].some(({ encoding }) => encoding.kind === "Json"),
        body: Option.match(endpoint.payloadSchema, { onNone: () => "none", onSome: needOf })
      })
    }
  })
  return { routes, failureRows }
}

/** An `HttpApi` never changes. */
const contracts = new WeakMap<object, Contract>()

/**
 * The contract of `api`, read once, at the latest when the server starts. Throws if a route does not say who
 * may call it, or if an error class has two different rows.
 */
export const contractOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Contract => {
  const known = contracts.get(api)
  if (known !== undefined) return known
  const contract = read(api)
  contracts.set(api, contract)
  return contract
}
