import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { sessionNotFound } from "../sessions/guards.ts"

const examples = {
  read: { response: new TextEncoder().encode("a ZIP") }
}

const zip = {
  description: "The archive",
  content: { "application/zip": { schema: { type: "string", format: "binary" } } }
}

/** Everything that is stored about the person of a session. */
export class SessionExportApi extends routeGroup(
  "kyc-session-export",
  {
    title: "KYC export, for the partner's server",
    description: "Everything that is stored about the person in a session, to hand over to them.",
    access: keyOrUser("kyc:sessions:export", "write"),
    examples
  },
  route("read", "GET /api/kyc/sessions/:id/export", {
    summary: "Export a session as a ZIP",
    description:
      "Everything that is stored about the person, readable without doorlock: `session.json`, `consents.json`, `timeline.json`, " +
      "`checks.json`, `readings.json`, `review.json`, `notes.json` and `files.json`; the uploaded files below `files/`, and the copies of images without metadata below `copies/`. " +
      "`README.txt` explains them. `missing.json`, the last entry, lists files that could not be read (`not found`, `incomplete`) " +
      "or whose content is no longer what was received (`changed`); it is `[]` if there are none. The archive is built while it is sent, so " +
      "its length is not known in advance, and an archive without `missing.json` is incomplete. Works after the session has expired. End users " +
      "control the content of the files: treat it as hostile.",
    ids: { id: "the session" },
    success: HttpApiSchema.Uint8Array({ contentType: "application/zip" }),
    errors: [sessionNotFound],
    unexpected: "Failed to export session"
  }).annotate(OpenApi.Override, { responses: { "200": zip } })
) {}
