import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { trueOrFalse } from "../../http/contract/fields.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { bySessionBearer, sessionExpired, sessionNotFound, sessionNotUpdatable } from "../sessions/guards.ts"
import {
  FileEmpty,
  FileNotFound,
  FileTooLarge,
  FileTypeRefused,
  ImageTooLarge,
  NotExamined,
  TooManyFiles,
  UploadIncomplete
} from "./errors.ts"
import { examples } from "./examples.ts"
import { fileReader } from "./guards.ts"
import { FileType, ListedFile, StoredFile } from "./model.ts"

const Content = Schema.Union(
  ...FileType.literals.map((contentType) => HttpApiSchema.Uint8Array({ contentType }))
)

/** The framework allows one body type per status; a download has the type of its file. */
const download = {
  description: "The file",
  content: Object.fromEntries(
    FileType.literals.map((type) => [type, { schema: { type: "string", format: "binary" } }])
  )
}

const notExamined = fails(NotExamined, 503, "File could not be examined now", {
  headers: { "retry-after": "10" }
})

const ReadFile = Schema.Struct({
  original: trueOrFalse(
    "original",
    "Whether to download an image as it was uploaded, with its metadata. Default: false."
  )
})

export class FileUploadApi extends routeGroup(
  "kyc-file-upload",
  {
    title: "KYC file upload",
    description: "Files that the end user's browser uploads in its session.",
    access: bySessionBearer,
    anyOrigin: true,
    examples
  },
  route("upload", "POST /api/kyc/public/sessions/:sessionId/files", {
    summary: "Upload a file, with the session token as bearer token",
    description:
      "The body is the file itself. Its first bytes determine its type; the declared type is ignored. `capture.mime` and `capture.maxBytes` of the instance's config limit the type and size: by default JPEG, PNG and PDF of at most 5 MiB, never more than 20 MiB. An image is refused if it cannot be decoded or has more than 67 megapixels. A PDF is stored without being read. A session's images are examined one at a time, in turn with other companies' images. A 503 means that the image waited too long, or that its examination took too much time or memory; `Retry-After` says when to try again. A session may have at most 40 files. After five images whose examination took too much time or memory, a session may upload one every 12 minutes; until then the response is 429 with `Retry-After`. `progress` and `result` refer to a file by its id.",
    ids: { sessionId: "the session" },
    body: Content,
    success: created(Schema.Struct({ file: StoredFile })),
    errors: [
      fails(FileEmpty, 400, "File is empty"),
      sessionNotFound,
      fails(UploadIncomplete, 408, "File did not arrive whole"),
      sessionNotUpdatable,
      sessionExpired,
      fails(FileTooLarge, 413, "File is too large"),
      fails(ImageTooLarge, 413, "Image has too many pixels"),
      fails(FileTypeRefused, 415, "File type is not accepted"),
      fails(TooManyFiles, 429, "Too many files"),
      tooManyRequests,
      notExamined
    ],
    unexpected: "Failed to store file"
  })
) {}

export class PartnerFilesApi extends routeGroup(
  "kyc-partner-files",
  {
    title: "KYC files, for the partner's server",
    description:
      "Files that end users uploaded, for a platform key with the scope kyc:files:read or a dashboard session. They can be read even after the session has expired.",
    access: { guard: fileReader },
    examples
  },
  route("list", "GET /api/kyc/sessions/:id/files", {
    summary: "List a session's files, oldest first",
    description:
      "If the session asks for some steps again, the list also has the files of the answers that it took over from earlier sessions.",
    ids: { id: "the session" },
    success: Schema.Struct({ files: Schema.Array(ListedFile) }),
    errors: [sessionNotFound],
    unexpected: "Failed to list files",
    compressed: true
  }),
  route("read", "GET /api/kyc/sessions/:id/files/:fileId", {
    summary: "Download a file",
    description:
      "The file, as an attachment named by its id, with a `Content-Security-Policy` that lets no script run; `ETag` is the SHA-256 of the content sent. An image is sent as a re-encoded copy: upright, and without the metadata that cameras write, such as the location. A copy has at most 20 MiB and is scaled down if necessary; the copy of a WebP of more than 16 megapixels is always scaled down. `original=true` sends the file byte for byte as uploaded, which `size` and `sha256` in the list describe. It requires the scope `kyc:files:original`, or the role owner or member. End users control the content of a file: treat it as hostile. doorlock never reads a PDF, which may contain scripts and attached files.",
    ids: { id: "the session", fileId: "the file" },
    query: ReadFile,
    success: HttpApiSchema.Uint8Array(),
    errors: [sessionNotFound, fails(FileNotFound, 404, "File not found")],
    unexpected: "Failed to get file"
  }).annotate(OpenApi.Override, { responses: { "200": download } })
) {}
