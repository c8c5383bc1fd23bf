import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { Schema } from "effect"
import { anybody, fails } from "../http/contract/error-responses.ts"
import { route, routeGroup, unguarded } from "../http/contract/routes.ts"
import { Ok } from "../shared/schemas.ts"
import { MetricsHidden, NotReady } from "./errors.ts"

const examples = {
  health: { response: { ok: true } },
  ready: { response: { ok: true } },
  metrics: {
    response:
      '# HELP doorlock_changes_trusted 1 while every revocation is known to be heard of within a second.\n# TYPE doorlock_changes_trusted gauge\ndoorlock_changes_trusted{worker="1"} 1\n'
  }
}

const Readiness = Schema.Struct({
  ok: Schema.Literal(true),
  warning: Schema.optional(Schema.String).annotations({
    description:
      "Why caches are off. Requests are answered correctly, but every key is looked up in the database."
  })
}).annotations({ identifier: "Readiness" })

export class OperationsApi extends routeGroup(
  "operations",
  {
    title: "Operations",
    description: "For operators of the service.",
    examples
  },
  route("health", "GET /healthz", {
    summary: "Liveness check",
    access: unguarded(anybody),
    success: Ok,
    unexpected: "Internal server error"
  }),
  route("ready", "GET /readyz", {
    summary: "Readiness check",
    access: unguarded(anybody),
    success: Readiness,
    errors: [fails(NotReady, 503, "Not ready")],
    unexpected: "Internal server error"
  }),
  route("metrics", "GET /metrics", {
    summary: "Metrics for Prometheus",
    description:
      "In the Prometheus text format, version 0.0.4, for all processes that share the port. If `METRICS_TOKEN` is set, send it as `Authorization: Bearer`; otherwise connect directly, without a proxy, from this machine or a private network. Any other request gets a 404.",
    access: unguarded(
      "For callers that present `METRICS_TOKEN` as `Authorization: Bearer`; if it is not set, for this machine and private networks."
    ),
    success: HttpApiSchema.Text().annotations({ description: "The metrics" }),
    errors: [fails(MetricsHidden, 404, "Not found", { code: "not-found" })],
    unexpected: "Internal server error",
    compressed: true
  })
) {}
