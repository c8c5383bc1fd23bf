import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { forActor } from "../../keys/credential.ts"
import { SessionExportApi } from "./api.ts"
import { SessionExport } from "./service.ts"

export const layer = group(SessionExportApi, (handlers) =>
  Effect.map(SessionExport, (exports) =>
    handlers.handle("read", ({ path }) =>
      Effect.map(
        forActor((by) => exports.open(by, path.id)),
        ({ content, id }) =>
          HttpServerResponse.raw(content, {
            contentType: "application/zip",
            headers: {
              "content-disposition": `attachment; filename="session-${id}.zip"`,
              "x-content-type-options": "nosniff"
            }
          })
      )
    )
  )
)
