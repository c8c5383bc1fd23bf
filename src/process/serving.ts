/** A process of any role but that of a gateway, which listens and says so on standard output. */
import { Effect, Layer } from "effect"
import { openNetwork } from "../cli/checks/configuration.ts"
import { Config, type Role } from "../config.ts"
import { Listening } from "../http/runtime/listening.ts"
import { notice } from "../observability/notice.ts"
import type { base } from "./base.ts"
import * as firstStart from "./first-start.ts"
import * as housekeeping from "./housekeeping.ts"
import { listening } from "./listening.ts"
import * as readable from "./readable.ts"
import * as server from "./server.ts"

type Serving = Exclude<Role, "gateway">

const announce = (role: Serving) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const config = yield* Config
      const { appUrl, baseUrl, workers } = config
      const open = openNetwork(config)
      if (open !== undefined) yield* Effect.logWarning(`${open.message} ${open.advice}`)
      const { hostname, port } = yield* Listening
      const firstUser = yield* firstStart.FirstUser
      const by = workers === 1 ? "" : `, with ${workers} workers`
      const pages = ` as ${baseUrl}${by}; dashboard: ${appUrl}/dashboard, API: ${baseUrl}/docs`
      const what = { all: pages, api: `${pages}; no gateway`, work: ` for its operators only${by}` }[role]
      yield* notice(`doorlock listens on ${hostname}:${port}${what}`)
      yield* firstUser.announce
    })
  )

const servers = { all: server.all, api: server.api, work: server.work }

type Failing = { readonly message: string }
type Base = Layer.Layer.Success<ReturnType<typeof base>>
type AnyServer = (typeof servers)[Serving]

const serverOf = (
  role: Serving
): Layer.Layer<Listening, Layer.Layer.Error<AnyServer>, Layer.Layer.Context<AnyServer>> => servers[role]

/** The process that is started. */
export const layer = (role: Serving): Layer.Layer<never, Failing, Base> =>
  announce(role).pipe(
    Layer.provide(listening(serverOf(role))),
    Layer.provide(role === "api" ? Layer.empty : housekeeping.layer),
    Layer.provide(role === "work" ? firstStart.none : firstStart.layer),
    Layer.provide(readable.layer),
    Layer.provide(server.services)
  )

/** A worker of it. */
export const worker = (role: Serving): Layer.Layer<Listening, Failing, Base> =>
  serverOf(role).pipe(Layer.provide(server.services))
