import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { anybody, fails } from "../http/contract/error-responses.ts"
import { route, routeGroup } from "../http/contract/routes.ts"
import { Ok } from "../shared/schemas.ts"
import { MetricsHidden, NotReady } from "./errors.ts"
import { examples } from "./examples.ts"

export class OperationsApi extends routeGroup(
  "operations",
  {
    title: "Operations",
    description: "For operators of the service.",
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
      "In Prometheus' text format, version 0.0.4, over all processes that share the port. If `METRICS_TOKEN` is set, a caller must present it as `Authorization: Bearer`; otherwise a caller must connect directly, without a proxy, from this machine or a private network. All others get a 404.",
    caller:
      "For callers that present `METRICS_TOKEN` as `Authorization: Bearer`; if it is not set, for this machine and private networks.",
    success: HttpApiSchema.Text().annotations({ description: "The figures" }),
    errors: [fails(MetricsHidden, 404, "Not found", { code: "not-found" })],
    unexpected: "Internal server error",
    compressed: true
  })
) {}
