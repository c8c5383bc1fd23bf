import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { fails, tooManyRequests } from "../../http/contract/answers.ts"
import { trueOrFalse } from "../../http/contract/fields.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { SessionBearer, sessionExpired, sessionNotFound, sessionNotUpdatable } from "../sessions/guards.ts"
import {
  FileEmpty,
  FileNotFound,
  FileTooLarge,
  FileTypeRefused,
  ImageTooLarge,
  NoCopy,
  NotExamined,
  PdfRefused,
  TooManyFiles,
  UploadIncomplete
} from "./errors.ts"
import { examples } from "./examples.ts"
import { FileReader } from "./guards.ts"
import { FileType, StoredFile } from "./model.ts"

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
    "Whether to read an image as it was uploaded, with its metadata. By default false."
  )
})

/** Uploads from the end user's browser. */
export class FileUploadApi extends routeGroup(
  "kyc-file-upload",
  {
    title: "KYC file upload",
    description: "What the end user's browser uploads in its session.",
    guard: SessionBearer,
    anyOrigin: true,
    examples
  },
  route("upload", "POST /api/kyc/public/sessions/:sessionId/files", {
    summary: "Upload a file, with the session token as bearer token",
    description:
      "The body is the file itself. Its type is told by its first bytes; the declared one is not believed. `capture.mime` and `capture.maxBytes` of the instance's config say what is accepted: by default JPEG, PNG and PDF of at most 5 MiB; never more than 20 MiB. An image that cannot be decoded is refused, as is one of more than 67 megapixels; a PDF, when it is encrypted, also where it opens without a password, or can act (scripts, actions that start programs or open other files, addresses that open by themselves, attached files). Files are examined one at a time in a session, fairly among companies; 503 says that one had no turn in time or took too much, and `Retry-After` when to try again. A session may have 40 files. After five whose examination took too much it may try again every 12 minutes: 429 with `Retry-After`. `progress` and `result` refer to a file by its id.",
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
      fails(PdfRefused, 415, "PDF must not be encrypted or contain scripts, actions or attached files"),
      fails(TooManyFiles, 429, "Too many files"),
      tooManyRequests,
      notExamined
    ],
    unexpected: "Failed to store file"
  })
) {}

/** Lets a company read the files of its sessions, even after those sessions have expired. */
export class PartnerFilesApi extends routeGroup(
  "kyc-partner-files",
  {
    title: "KYC files, for the partner's server",
    description:
      "What end users uploaded, by a platform key of scope kyc:files:read or a dashboard session. It works after the session expired.",
    guard: FileReader,
    examples
  },
  route("list", "GET /api/kyc/sessions/:id/files", {
    summary: "List a session's files, oldest first",
    ids: { id: "the session" },
    success: Schema.Struct({ files: Schema.Array(StoredFile) }),
    errors: [sessionNotFound],
    unexpected: "Failed to list files",
    compressed: true
  }),
  route("read", "GET /api/kyc/sessions/:id/files/:fileId", {
    summary: "Download a file",
    description:
      "The file, as an attachment named by its id; `ETag` is the SHA-256 of what is sent. An image is a re-encoded copy: upright, and without the metadata that cameras write, such as the location. A copy has 20 MiB at most, and is drawn smaller where it would have more; that of a WebP of more than 16 megapixels is drawn smaller, too. (A HEIC is not re-encoded: its metadata is overwritten. Nothing here decodes its picture, whose coded size nobody has checked: decode it within bounds.) `original=true` gives the file byte for byte as it was uploaded, which is what `size` and `sha256` in the list describe. It takes the scope `kyc:files:original`, or the role of an owner or a member. End users choose what is in a file: treat it as hostile.",
    ids: { id: "the session", fileId: "the file" },
    query: ReadFile,
    success: HttpApiSchema.Uint8Array(),
    errors: [
      sessionNotFound,
      fails(FileNotFound, 404, "File not found"),
      fails(NoCopy, 409, "File can only be read with original=true"),
      notExamined
    ],
    unexpected: "Failed to get file"
  }).annotate(OpenApi.Override, { responses: { "200": download } })
) {}
