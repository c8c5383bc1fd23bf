import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, fails } from "../../http/contract/answers.ts"
import { idOf } from "../../http/contract/fields.ts"
import { SessionNotFound } from "../sessions/errors.ts"
import { SessionReader } from "../sessions/guards.ts"
import { examples } from "./examples.ts"
import { TimelineEvent } from "./model.ts"

/** The events of a session, for the company that owns it. */
export class TimelineApi extends HttpApiGroup.make("kyc-timeline")
  .add(
    HttpApiEndpoint.get("get", "/api/kyc/sessions/:id/timeline")
      .setPath(Schema.Struct({ id: idOf("the session") }))
      .addSuccess(Schema.Struct({ events: Schema.Array(TimelineEvent) }))
      .addError(fails(SessionNotFound, 404, "Session not found"))
      .annotate(OpenApi.Summary, "What happened in a session, oldest first")
      .annotate(
        OpenApi.Description,
        "As far as the server knows it by itself. The last event of an unfinished session is when it expires, or has."
      )
      .pipe(answers({ example: examples.get, unexpected: "Failed to get timeline", compressed: true }))
  )
  .middleware(SessionReader)
  .annotate(OpenApi.Title, "KYC timeline, for the partner's server")
  .annotate(
    OpenApi.Description,
    "What happened in a session and when, by a platform key of scope kyc:sessions:read or a dashboard session. It works after the session expired."
  ) {}
