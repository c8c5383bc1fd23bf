import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { DashboardMember } from "../../accounts/guards.ts"
import { answers, fails } from "../../http/contract/answers.ts"
import { idOf, NoFields } from "../../http/contract/fields.ts"
import { tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { InstanceNotFound } from "../instances/errors.ts"
import { DevModeRefused } from "./errors.ts"
import { examples } from "./examples.ts"
import { SessionCreated } from "./partner-api.ts"

/** Sessions for trying out an instance, without a platform key. */
export class TestSessionsApi extends HttpApiGroup.make("kyc-test-sessions")
  .add(
    HttpApiEndpoint.post("create", "/api/kyc/instances/:id/test-session")
      .setPath(Schema.Struct({ id: idOf("the KYC instance") }))
      .setPayload(NoFields)
      .addSuccess(SessionCreated, { status: 201 })
      .addError(fails(DevModeRefused, 400, "dev mode is not allowed on this environment"))
      .addError(fails(InstanceNotFound, 404, "Instance not found"))
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Create a session of mode dev, to try an instance out")
      .annotate(
        OpenApi.Description,
        "It lasts an hour. A disabled instance has no sessions, and is not found."
      )
      .pipe(answers({ example: examples.createTest, unexpected: "Failed to create test session" }))
  )
  .middleware(DashboardMember)
  .annotate(OpenApi.Title, "KYC test sessions")
  .annotate(
    OpenApi.Description,
    "What a dashboard user tries an instance out with, where sessions of mode `dev` are allowed."
  ) {}
