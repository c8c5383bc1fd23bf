import { Schema } from "effect"
import { integer, optionalNullable } from "../../http/contract/fields.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { SessionCreated } from "./creation-api.ts"
import { examples } from "./examples.ts"
import { sessionExpired, sessionNotFound, sessionNotUpdatable } from "./guards.ts"
import { SessionOverview } from "./model.ts"

export const ResumeSession = Schema.Struct({
  expiresInSeconds: optionalNullable(integer("expiresInSeconds", 1, 2_592_000)).annotations({
    description: "The new lifetime, from now. Without it, `expires_at` stays as it is."
  })
}).annotations({ identifier: "ResumeKycSession" })

const SessionResumed = Schema.Struct({
  ...SessionCreated.fields,
  session: SessionOverview,
  sessionToken: Schema.String.annotations({
    description:
      "The session's new secret token. Only a retry of the creation with its Idempotency-Key returns it again."
  })
}).annotations({ identifier: "KycSessionResumed" })

/** What the partner's server does with a session that is not finished (contract.md#cancelling). */
export class SessionLifecycleApi extends routeGroup(
  "kyc-session-lifecycle",
  {
    title: "KYC session lifecycle, for the partner's server",
    description:
      "Cancels or resumes a session that is not finished. The responses contain nothing that the end user entered.",
    access: keyOrUser("kyc:sessions:write", "write"),
    examples: { cancel: examples.cancel, resume: examples.resume }
  },
  route("cancel", "POST /api/kyc/sessions/:id/cancel", {
    summary: "Cancel an unfinished session",
    description:
      "Also cancels a session that has expired. The hosted page tells the end user at the next step that the verification was cancelled.",
    ids: { id: "the session" },
    success: Schema.Struct({ session: SessionOverview }),
    errors: [sessionNotFound, sessionNotUpdatable],
    unexpected: "Failed to cancel session"
  }),
  route("resume", "POST /api/kyc/sessions/:id/resume", {
    summary: "Get a new link for an unfinished session",
    description:
      "The end user continues where they stopped. The previous link and token stop working at once, and an open handoff ends. " +
      "With `expiresInSeconds` the session's lifetime starts anew, even if it has expired. Without it `expires_at` stays as it is, " +
      "and an expired session is 410.",
    ids: { id: "the session" },
    body: ResumeSession,
    success: SessionResumed,
    errors: [sessionNotFound, sessionNotUpdatable, sessionExpired],
    unexpected: "Failed to resume session"
  })
) {}
