import { DashboardMember } from "../../accounts/guards.ts"
import { fails } from "../../http/contract/answers.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { InstanceNotFound } from "../instances/errors.ts"
import { DevModeRefused } from "./errors.ts"
import { examples } from "./examples.ts"
import { SessionCreated } from "./partner-api.ts"

/** Sessions for trying out an instance, without a platform key. */
export class TestSessionsApi extends routeGroup(
  "kyc-test-sessions",
  {
    title: "KYC test sessions",
    description:
      "What a dashboard user tries an instance out with, where sessions of mode `dev` are allowed.",
    guard: DashboardMember,
    examples: { create: examples.createTest }
  },
  route("create", "POST /api/kyc/instances/:id/test-session", {
    summary: "Create a session of mode dev, to try an instance out",
    description: "It lasts an hour. A disabled instance has no sessions, and is not found.",
    ids: { id: "the KYC instance" },
    success: SessionCreated,
    status: 201,
    errors: [
      fails(DevModeRefused, 400, "dev mode is not allowed on this environment"),
      fails(InstanceNotFound, 404, "Instance not found"),
      tooManyRequests
    ],
    unexpected: "Failed to create test session"
  })
) {}
