import { Layer } from "effect"
import { Config, type Environment } from "../config.ts"
import * as postgres from "../db/postgres.ts"
import * as logging from "../observability/logging.ts"
import * as tracing from "../observability/tracing.ts"
import * as storedKey from "../secrets/stored-key.ts"
import { mustBeReadable } from "./readable.ts"

const around = (environment: Environment) =>
  Layer.merge(logging.layer, tracing.layer).pipe(Layer.provideMerge(Config.layer(environment)))

/** What a serving process needs below its services. */
export const base = (environment: Environment) =>
  postgres
    .layer(mustBeReadable)
    .pipe(
      Layer.provideMerge(storedKey.layer),
      Layer.provideMerge(postgres.DatabaseAccess.layer),
      Layer.provideMerge(around(environment))
    )

/** The same for a gateway, which has no secret key and does not change the schema. */
export const gatewayBase = (environment: Environment) =>
  postgres.layerForGateway.pipe(
    Layer.provideMerge(postgres.DatabaseAccess.layer),
    Layer.provideMerge(around(environment))
  )
