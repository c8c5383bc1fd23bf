import { Layer } from "effect"
import { Config, type Environment } from "../config.ts"
import * as postgres from "../db/postgres.ts"
import * as logging from "../observability/logging.ts"
import * as tracing from "../observability/tracing.ts"
import * as storedKey from "../secrets/stored-key.ts"

/** What every serving process needs below its services. */
export const base = (environment: Environment) =>
  storedKey.layer.pipe(
    Layer.provideMerge(postgres.layer),
    Layer.provideMerge(postgres.DatabaseAccess.layer),
    Layer.provideMerge(Layer.merge(logging.layer, tracing.layer)),
    Layer.provideMerge(Config.layer(environment))
  )
