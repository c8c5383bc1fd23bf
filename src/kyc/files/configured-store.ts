import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Config } from "../../config.ts"
import * as diskStore from "./disk-store.ts"
import * as s3Store from "./s3-store.ts"

/** The configured store: a bucket if `S3_BUCKET` is set, otherwise `DATA_DIR/files`. */
export const layer = Layer.unwrapEffect(
  Effect.map(Config, ({ dataDir, s3 }) =>
    s3 === undefined ? diskStore.layer(join(dataDir, "files")) : s3Store.layer(s3)
  )
)
