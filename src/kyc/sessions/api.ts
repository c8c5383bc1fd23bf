import { Schema } from "effect"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { optional, refusing, storableObject, storableValue } from "../../http/contract/fields.ts"
import { route, routeGroup, unguarded } from "../../http/contract/routes.ts"
import { ProgressTooLarge } from "./errors.ts"
import { examples } from "./examples.ts"
import {
  holderOfSessionToken,
  SessionToken,
  sessionExpired,
  sessionNotFound,
  sessionNotUpdatable
} from "./guards.ts"
import { Session } from "./model.ts"

const UpdateProgress = Schema.Struct({
  token: SessionToken,
  progress: optional(storableObject("progress")).annotations({
    description: "Top-level keys to set. Others keep their values."
  }),
  status: optional(
    refusing(
      Schema.Literal("created", "running", "failed", "cancelled"),
      "status must be one of created, running, failed, cancelled",
      "progress-status-invalid"
    )
  ).annotations({ description: "The new status. Without it, the status stays as it is." })
}).annotations({ identifier: "UpdateKycProgress" })

/** The maximum size of a result as JSON: 1 MiB. */
const maxResultBytes = 1_048_576

const BrowserMark = refusing(
  Schema.String.pipe(Schema.pattern(/^[0-9a-f]{32}$/)),
  "browserMark must be 32 hexadecimal digits in lower case"
).annotations({
  description:
    "A random number that the hosted page keeps in the browser for 30 days if `checks.sameBrowser` in the config is true. Only a keyed hash of it is stored."
})

const CompleteSession = Schema.Struct({
  token: SessionToken,
  browserMark: optional(BrowserMark),
  result: optional(storableValue("result", maxResultBytes)).annotations({
    description: "Any JSON of at most 1 MiB, for the company to read."
  }),
  status: optional(
    refusing(
      Schema.Literal("completed", "failed", "cancelled"),
      "status must be one of completed, failed, cancelled",
      "completion-status-invalid"
    )
  ).annotations({ description: "How the session ended. Default: `completed`." })
}).annotations({ identifier: "CompleteKycSession" })

export class BrowserSessionsApi extends routeGroup(
  "kyc-sessions",
  {
    title: "KYC sessions",
    description:
      "Routes for the end user's browser. The credential is the session token: `token` in the query of a GET or in the body of a POST.",
    access: unguarded(holderOfSessionToken),
    anyOrigin: true,
    examples
  },
  route("read", "GET /api/kyc/public/sessions/:sessionId", {
    summary: "Read a session",
    ids: { sessionId: "the session" },
    query: Schema.Struct({ token: SessionToken }),
    success: Schema.Struct({ session: Session }),
    errors: [sessionNotFound, sessionExpired, tooManyRequests],
    unexpected: "Failed to get session"
  }),
  route("progress", "POST /api/kyc/public/sessions/:sessionId/progress", {
    summary: "Save progress: merge it into the session, and set the status",
    description:
      "`progress` is merged by its top-level keys: the last write of a key wins, and null is stored as null. The merged progress has at most 64 KiB, measured as Postgres prints jsonb.",
    ids: { sessionId: "the session" },
    body: UpdateProgress,
    success: Schema.Struct({
      ok: Schema.Literal(true),
      session: Session.pick("id", "status", "started_at", "updated_at")
    }),
    errors: [
      sessionNotFound,
      sessionNotUpdatable,
      sessionExpired,
      fails(ProgressTooLarge, 413, "progress is too large"),
      tooManyRequests
    ],
    unexpected: "Failed to update progress"
  }),
  route("complete", "POST /api/kyc/public/sessions/:sessionId/complete", {
    summary: "Finish a session",
    description:
      "If the session is already finished, nothing changes, and the response shows how it was finished.",
    ids: { sessionId: "the session" },
    body: CompleteSession,
    success: Schema.Struct({
      ok: Schema.Literal(true),
      session: Session.pick("id", "status"),
      redirectUrl: Schema.String.annotations({ description: "Where the browser goes next." })
    }),
    errors: [sessionNotFound, sessionExpired, tooManyRequests],
    unexpected: "Failed to complete session"
  })
) {}
