import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { answers, anybody, fails } from "../http/contract/answers.ts"
import { Ok } from "../model.ts"
import { MetricsHidden, NotReady } from "./errors.ts"
import { examples } from "./examples.ts"

/** Routes for the operator. */
export class OperationsApi extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.get("health", "/healthz")
      .addSuccess(Ok)
      .annotate(OpenApi.Summary, "Whether the process lives")
      .pipe(answers({ caller: anybody, example: examples.health, unexpected: "Internal server error" }))
  )
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .addSuccess(Ok)
      .addError(fails(NotReady, 503, "Not ready"))
      .annotate(OpenApi.Summary, "Whether the process can serve")
      .pipe(answers({ caller: anybody, example: examples.ready, unexpected: "Internal server error" }))
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(HttpApiSchema.Text().annotations({ description: "The figures" }))
      .addError(fails(MetricsHidden, 404, "Not found", { code: "not-found" }))
      .annotate(OpenApi.Summary, "Figures for Prometheus")
      .annotate(
        OpenApi.Description,
        "In Prometheus' text format, version 0.0.4, of all processes that share the port. With `METRICS_TOKEN` set for whoever presents it as `Authorization: Bearer`; otherwise for whoever connects directly, without a proxy between, from this machine or a private network. Everybody else is told that there is no such path."
      )
      .pipe(
        answers({
          caller:
            "For whoever presents `METRICS_TOKEN` as `Authorization: Bearer`; where none is set, for this machine and private networks.",
          example: examples.metrics,
          unexpected: "Internal server error",
          compressed: true
        })
      )
  )
  .annotate(OpenApi.Title, "Operations")
  .annotate(OpenApi.Description, "For those who run the service.") {}
