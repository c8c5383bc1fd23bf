import { Schema } from "effect"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { accepted, route, routeGroup, unguarded } from "../../http/contract/routes.ts"
import { FileNotFound } from "../files/errors.ts"
import {
  holderOfSessionToken,
  SessionToken,
  sessionExpired,
  sessionNotFound,
  sessionNotUpdatable
} from "../sessions/guards.ts"
import { examples } from "./readings-examples.ts"
import { Reading, ReadingDisabled, ReadingNotFound, TooManyReadings } from "./readings-model.ts"

/** For browsers that cannot read a photo of a document themselves. */
export class ReadingsApi extends routeGroup(
  "kyc-readings",
  {
    title: "KYC readings",
    description:
      "The server reads the photo of a document for a browser that cannot, so that the end user need not type what is written there.",
    access: unguarded(holderOfSessionToken),
    anyOrigin: true,
    examples
  },
  route("start", "POST /api/kyc/public/sessions/:sessionId/files/:fileId/reading", {
    summary: "Ask the server to read an uploaded photo of a document",
    description:
      "Not if `config.checks.photos` of the instance is false. The machine-readable zone or the barcode of a driving licence is read, in turn with the photos of other sessions and companies. The same file again changes nothing. A session may have five photos read.",
    ids: { sessionId: "the session", fileId: "the photo" },
    body: Schema.Struct({ token: SessionToken }).annotations({ identifier: "StartKycReading" }),
    success: accepted(Schema.Struct({ reading: Reading })),
    errors: [
      fails(ReadingDisabled, 403, "Reading is not enabled"),
      sessionNotFound,
      fails(FileNotFound, 404, "File not found"),
      sessionNotUpdatable,
      sessionExpired,
      fails(TooManyReadings, 429, "Too many readings"),
      tooManyRequests
    ],
    unexpected: "Failed to start reading"
  }),
  route("get", "GET /api/kyc/public/sessions/:sessionId/files/:fileId/reading", {
    summary: "Read what was read in a photo",
    description:
      "Poll every second. A photo is read within a minute or not at all: let the end user type meanwhile. What was read is available for an hour.",
    ids: { sessionId: "the session", fileId: "the photo" },
    query: Schema.Struct({ token: SessionToken }),
    success: Schema.Struct({ reading: Reading }),
    errors: [
      sessionNotFound,
      fails(ReadingNotFound, 404, "Reading not found"),
      sessionExpired,
      tooManyRequests
    ],
    unexpected: "Failed to get reading"
  })
) {}
