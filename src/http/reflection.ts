import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Context from "effect/Context"
import type * as SchemaAST from "effect/SchemaAST"
import { Answers, type FailureRow, failureRowOf } from "./contract.ts"
import type { Route } from "./routes.ts"

/** A route of the contract, with everything it can fail with. */
export interface DeclaredRoute extends Route {
  readonly answers: Answers
  readonly failures: ReadonlyArray<FailureRow>
  /** The keys of the middleware tags in front of it. */
  readonly middleware: ReadonlyArray<string>
  /** Whether it takes a JSON body, by the rules of `http/body`. A body of bytes is the route's own matter. */
  readonly takesBody: boolean
}

/** What the contract says, read back from its endpoints. */
export interface Contract {
  readonly routes: ReadonlyArray<DeclaredRoute>
  /** By error class. One class stands for one status and body over the whole API. */
  readonly failureRows: ReadonlyMap<unknown, FailureRow>
}

const rowsOf = (ast: SchemaAST.AST): ReadonlyArray<FailureRow> => {
  const row = failureRowOf(ast)
  if (row !== undefined) return [row]
  return ast._tag === "Union" ? ast.types.flatMap(rowsOf) : []
}

/** Reads the contract of `api`. Dies when one error class has two rows: the answer would be a coin toss. */
export const contractOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): Contract => {
  const routes: Array<DeclaredRoute> = []
  const failureRows = new Map<unknown, FailureRow>()
  const add = (row: FailureRow) => {
    const known = failureRows.get(row.errorClass)
    if (known !== undefined && (known.status !== row.status || known.message !== row.message)) {
      throw new Error(
        `${row.name} has two rows: ${known.status} ${known.message}, ${row.status} ${row.message}`
      )
    }
    failureRows.set(row.errorClass, row)
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware, payloads }) => {
      const asts = [
        endpoint.errorSchema.ast,
        group.errorSchema.ast,
        ...[...middleware].map((tag) => tag.failure.ast)
      ]
      const failures = asts.flatMap(rowsOf)
      for (const row of failures) add(row)
      routes.push({
        method: endpoint.method,
        pattern: endpoint.path,
        answers: Context.get(endpoint.annotations as Context.Context<Answers>, Answers),
        failures,
        middleware: [...middleware].map(({ key }) => key),
        takesBody: [...payloads.values()].some(({ encoding }) => encoding.kind === "Json")
      })
    }
  })
  return { routes, failureRows }
}
