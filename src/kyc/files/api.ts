import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, fails } from "../../http/contract/answers.ts"
import { idOf, optional, trueOrFalse } from "../../http/contract/fields.ts"
import { tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { SessionExpired, SessionNotFound, SessionNotUpdatable } from "../sessions/errors.ts"
import { SessionBearer } from "../sessions/guards.ts"
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

const sessionNotFound = fails(SessionNotFound, 404, "Session not found")

const messages = { original: "original must be true or false" } as const

const ReadFile = Schema.Struct({
  original: optional(
    trueOrFalse(
      messages.original,
      "Whether to read an image as it was uploaded, with its metadata. By default false."
    )
  )
})

/** Uploads from the end user's browser. */
export class FileUploadApi extends HttpApiGroup.make("kyc-file-upload")
  .add(
    HttpApiEndpoint.post("upload", "/api/kyc/public/sessions/:sessionId/files")
      .setPath(Schema.Struct({ sessionId: idOf("the session") }))
      .setPayload(Content)
      .addSuccess(Schema.Struct({ file: StoredFile }), { status: 201 })
      .addError(fails(FileEmpty, 400, "File is empty"))
      .addError(sessionNotFound)
      .addError(fails(UploadIncomplete, 408, "File did not arrive whole"))
      .addError(fails(SessionNotUpdatable, 409, "Session is not updatable"))
      .addError(fails(SessionExpired, 410, "Session expired"))
      .addError(fails(FileTooLarge, 413, "File is too large"))
      .addError(fails(ImageTooLarge, 413, "Image has too many pixels"))
      .addError(fails(FileTypeRefused, 415, "File type is not accepted"))
      .addError(
        fails(PdfRefused, 415, "PDF must not be encrypted or contain scripts, actions or attached files")
      )
      .addError(fails(TooManyFiles, 429, "Too many files"))
      .addError(tooManyRequests)
      .addError(notExamined)
      .annotate(OpenApi.Summary, "Upload a file, with the session token as bearer token")
      .annotate(
        OpenApi.Description,
        "The body is the file itself. Its type is told by its first bytes; the declared one is not believed. `capture.mime` and `capture.maxBytes` of the instance's config say what is accepted: by default JPEG, PNG and PDF of at most 5 MiB; never more than 20 MiB. An image that cannot be decoded is refused, as is one of more than 67 megapixels; a PDF, when it is encrypted, also where it opens without a password, or can act (scripts, actions that start programs or open other files, addresses that open by themselves, attached files). Files are examined one at a time in a session, fairly among companies; 503 says that one had no turn in time or took too much, and `Retry-After` when to try again. A session may have 40 files. After five whose examination took too much it may try again every 12 minutes: 429 with `Retry-After`. `progress` and `result` refer to a file by its id."
      )
      .pipe(answers({ example: examples.upload, unexpected: "Failed to store file", anyOrigin: true }))
  )
  .middleware(SessionBearer)
  .annotate(OpenApi.Title, "KYC file upload")
  .annotate(OpenApi.Description, "What the end user's browser uploads in its session.") {}

/** Lets a company read the files of its sessions, even after those sessions have expired. */
export class PartnerFilesApi extends HttpApiGroup.make("kyc-partner-files")
  .add(
    HttpApiEndpoint.get("list", "/api/kyc/sessions/:id/files")
      .setPath(Schema.Struct({ id: idOf("the session") }))
      .addSuccess(Schema.Struct({ files: Schema.Array(StoredFile) }))
      .addError(sessionNotFound)
      .annotate(OpenApi.Summary, "List a session's files, oldest first")
      .pipe(answers({ example: examples.list, unexpected: "Failed to list files", compressed: true }))
  )
  .add(
    HttpApiEndpoint.get("read", "/api/kyc/sessions/:id/files/:fileId")
      .setPath(Schema.Struct({ id: idOf("the session"), fileId: idOf("the file") }))
      .setUrlParams(ReadFile)
      .addSuccess(HttpApiSchema.Uint8Array())
      .addError(sessionNotFound)
      .addError(fails(FileNotFound, 404, "File not found"))
      .addError(fails(NoCopy, 409, "File can only be read with original=true"))
      .addError(notExamined)
      .annotate(OpenApi.Summary, "Download a file")
      .annotate(OpenApi.Override, { responses: { "200": download } })
      .annotate(
        OpenApi.Description,
        "The file, as an attachment named by its id; `ETag` is the SHA-256 of what is sent. An image is a copy, drawn anew: upright, and without the metadata that cameras write, such as the place. A copy has 20 MiB at most, and is drawn smaller where it would have more; that of a WebP of more than 16 megapixels is drawn smaller, too. (A HEIC is not drawn anew: its metadata is overwritten. Nothing here decodes its picture, whose coded size nobody has checked: decode it within bounds.) `original=true` gives the file byte for byte as it was uploaded, which is what `size` and `sha256` in the list describe. It takes the scope `kyc:files:original`, or the role of an owner or a member. End users choose what is in a file: treat it as hostile."
      )
      .pipe(
        answers({ example: examples.read, rejects: [messages.original], unexpected: "Failed to get file" })
      )
  )
  .middleware(FileReader)
  .annotate(OpenApi.Title, "KYC files, for the partner's server")
  .annotate(
    OpenApi.Description,
    "What end users uploaded, by a platform key of scope kyc:files:read or a dashboard session. It works after the session expired."
  ) {}
