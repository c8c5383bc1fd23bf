import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { answers, fails } from "../http/contract.ts"
import { Ok } from "../model.ts"
import { NotReady } from "./errors.ts"
import { examples } from "./examples.ts"

/** What those who run the service ask it. */
export class OperationsApi extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.get("health", "/healthz")
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Whether the process lives")
      .pipe(answers({ example: examples.health, unexpected: "Internal server error" }))
  )
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .addSuccess(Ok)
      .addError(fails(NotReady, 503, "Not ready"))
      .annotate(OpenApi.Summary, "Whether the process can serve")
      .pipe(answers({ example: examples.ready, unexpected: "Internal server error" }))
  )
  .annotate(OpenApi.Title, "Operations")
  .annotate(OpenApi.Description, "For those who run the service.") {}
