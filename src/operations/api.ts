import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { anybody, fails } from "../http/contract/answers.ts"
import { route, routeGroup } from "../http/contract/routes.ts"
import { Ok } from "../model.ts"
import { MetricsHidden, NotReady } from "./errors.ts"
import { examples } from "./examples.ts"

/** Routes for the operator. */
export class OperationsApi extends routeGroup(
  "operations",
  {
    title: "Operations",
    description: "For those who run the service.",
    examples
  },
  route("health", "GET /healthz", {
    summary: "Whether the process lives",
    caller: anybody,
    success: Ok,
    unexpected: "Internal server error"
  }),
  route("ready", "GET /readyz", {
    summary: "Whether the process can serve",
    caller: anybody,
    success: Ok,
    errors: [fails(NotReady, 503, "Not ready")],
    unexpected: "Internal server error"
  }),
  route("metrics", "GET /metrics", {
    summary: "Figures for Prometheus",
    description:
      "In Prometheus' text format, version 0.0.4, of all processes that share the port. With `METRICS_TOKEN` set for whoever presents it as `Authorization: Bearer`; otherwise for whoever connects directly, without a proxy between, from this machine or a private network. Everybody else is told that there is no such path.",
    caller:
      "For whoever presents `METRICS_TOKEN` as `Authorization: Bearer`; where none is set, for this machine and private networks.",
    success: HttpApiSchema.Text().annotations({ description: "The figures" }),
    errors: [fails(MetricsHidden, 404, "Not found", { code: "not-found" })],
    unexpected: "Internal server error",
    compressed: true
  })
) {}
