import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { Context, Layer } from "effect"

/** Method and path of every route by the name that the dashboard uses, such as `api-keys.create`. */
export class RouteTable extends Context.Tag("doorlock/pages/RouteTable")<
  RouteTable,
  Readonly<Record<string, readonly [method: string, path: string]>>
>() {}

export const layer = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
) =>
  Layer.sync(RouteTable, () => {
    const routes: Record<string, readonly [string, string]> = {}
    HttpApi.reflect(api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, group }) => {
        routes[`${group.identifier}.${endpoint.name}`] = [endpoint.method, endpoint.path]
      }
    })
    return routes
  })
