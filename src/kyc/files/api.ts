import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { answers, fails } from "../../http/contract.ts"
import { FileReader, SessionBearer, tooManyRequests } from "../../http/credentials.ts"
import { SessionExpired, SessionNotFound, SessionNotUpdatable } from "../sessions/errors.ts"
import {
  FileEmpty,
  FileNotFound,
  FileTooLarge,
  FileTypeRefused,
  TooManyFiles,
  UploadIncomplete
} from "./errors.ts"
import { examples } from "./examples.ts"
import { FileType, StoredFile } from "./model.ts"

const Content = Schema.Union(
  ...FileType.literals.map((contentType) => HttpApiSchema.Uint8Array({ contentType }))
)

/** The framework knows one type of body for each status; a download has that of its file. */
const download = {
  description: "The file",
  content: Object.fromEntries(
    FileType.literals.map((type) => [type, { schema: { type: "string", format: "binary" } }])
  )
}

const sessionNotFound = fails(SessionNotFound, 404, "Session not found")

/** What the end user's browser uploads. */
export class FileUploadApi extends HttpApiGroup.make("kyc-file-upload")
  .add(
    HttpApiEndpoint.post("upload", "/api/kyc/public/sessions/:sessionId/files")
      .setPath(Schema.Struct({ sessionId: Schema.String }))
      .setPayload(Content)
      .addSuccess(Schema.Struct({ file: StoredFile }), { status: 201 })
      .addError(fails(FileEmpty, 400, "File is empty"))
      .addError(sessionNotFound)
      .addError(fails(UploadIncomplete, 408, "File did not arrive whole"))
      .addError(fails(SessionNotUpdatable, 409, "Session is not updatable"))
      .addError(fails(SessionExpired, 410, "Session expired"))
      .addError(fails(FileTooLarge, 413, "File is too large"))
      .addError(fails(FileTypeRefused, 415, "File type is not accepted"))
      .addError(fails(TooManyFiles, 429, "Too many files"))
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Upload a file, with the session token as bearer token")
      .annotate(
        OpenApi.Description,
        "The body is the file itself. Its type is told by its first bytes; the declared one is not believed. `capture.mime` and `capture.maxBytes` of the instance's config say what is accepted: by default JPEG, PNG and PDF of at most 5 MiB; never more than 20 MiB. A session may have 40 files. `progress` and `result` refer to a file by its id."
      )
      .pipe(answers({ example: examples.upload, unexpected: "Failed to store file", anyOrigin: true }))
  )
  .middleware(SessionBearer)
  .annotate(OpenApi.Title, "KYC file upload")
  .annotate(OpenApi.Description, "What the end user's browser uploads in its session.") {}

/** The company's own view of the files of its sessions, which works after they expired. */
export class PartnerFilesApi extends HttpApiGroup.make("kyc-partner-files")
  .add(
    HttpApiEndpoint.get("list", "/api/kyc/sessions/:id/files")
      .setPath(Schema.Struct({ id: Schema.String }))
      .addSuccess(Schema.Struct({ files: Schema.Array(StoredFile) }))
      .addError(sessionNotFound)
      .annotate(OpenApi.Summary, "List a session's files, oldest first")
      .pipe(answers({ example: examples.list, unexpected: "Failed to list files", compressed: true }))
  )
  .add(
    HttpApiEndpoint.get("read", "/api/kyc/sessions/:id/files/:fileId")
      .setPath(Schema.Struct({ id: Schema.String, fileId: Schema.String }))
      .addSuccess(HttpApiSchema.Uint8Array())
      .addError(sessionNotFound)
      .addError(fails(FileNotFound, 404, "File not found"))
      .annotate(OpenApi.Summary, "Download a file")
      .annotate(OpenApi.Override, { responses: { "200": download } })
      .annotate(
        OpenApi.Description,
        "The file byte for byte, as an attachment named by its id; `ETag` is its SHA-256. End users choose what is in it: treat it as hostile."
      )
      .pipe(answers({ example: examples.read, unexpected: "Failed to get file" }))
  )
  .middleware(FileReader)
  .annotate(OpenApi.Title, "KYC files, for the partner's server")
  .annotate(
    OpenApi.Description,
    "What end users uploaded, by a platform key of scope kyc:files:read or a dashboard session. It works after the session expired."
  ) {}
