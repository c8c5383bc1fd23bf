import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { Ok } from "../../shared/schemas.ts"
import { sessionNotFound } from "../sessions/guards.ts"

const examples = { redact: { request: {}, response: { ok: true } } }

export class RedactionApi extends routeGroup(
  "kyc-redaction",
  {
    title: "KYC redaction, for the partner's server",
    description: "Destroys the personal data of a session.",
    access: keyOrUser("kyc:sessions:redact", "administer"),
    examples
  },
  route("redact", "POST /api/kyc/sessions/:id/redact", {
    summary: "Destroy the personal data of a session",
    description:
      "From then on, nobody can read the data, and it cannot be restored: the session's key is destroyed, and its files are deleted at once, or as soon as the file store is reachable. What stays: that there was a session, when, how it ended, and `external_reference`. A session that is still open ends as `cancelled`. A second call changes nothing. docs/privacy.md says what this means for backups.",
    ids: { id: "the session" },
    success: Ok,
    errors: [sessionNotFound],
    unexpected: "Failed to redact session"
  })
) {}
