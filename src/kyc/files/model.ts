import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"
import { fileTypes } from "../instances/config-model.ts"

/** The maximum number of files of one session, including uploads in progress. */
export const maxFilesPerSession = 40

/** The types recognised by their first bytes (`sniff.ts`). An instance accepts some of them. */
export const FileType = Schema.Literal(...fileTypes)
export type FileType = typeof FileType.Type

/** Of an image, a copy without metadata is stored, too. A PDF is never read. */
export type ImageType = Exclude<FileType, "application/pdf">

const extensions: Readonly<Record<FileType, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "application/pdf": "pdf"
}

export const StoredFile = Schema.Struct({
  id: Schema.String,
  content_type: FileType.annotations({
    description: "The type that the first bytes show, not the declared one."
  }),
  size: Schema.Number.annotations({ description: "Bytes." }),
  sha256: Schema.String.annotations({ description: "The SHA-256 of the content, in hex." }),
  created_at: Timestamp
}).annotations({ identifier: "KycFile", description: "The file as it was uploaded." })
export type StoredFile = typeof StoredFile.Type

/** A file in the list of a session. */
export const ListedFile = Schema.Struct({
  ...StoredFile.fields,
  session_id: Schema.String.annotations({
    description:
      "The session in which it was uploaded: this one or, if it belongs to an answer that was carried over, an earlier one."
  })
}).annotations({ identifier: "ListedKycFile" })

export const copyIdOf = (id: string): string => `${id}-copy`

/** The content of a download: the file itself, or the copy of an image. */
export type FileContent = Omit<StoredFile, "created_at">

/** The name of a downloaded file. It contains nothing of the end user's own file name. */
export const fileName = ({ content_type, id }: FileContent): string => `${id}.${extensions[content_type]}`

/** A complete file, safely on the local disk. */
export interface LocalFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly sha256: Uint8Array
}

export interface Received extends LocalFile {
  readonly type: FileType
}

/** The kind of work that deletes a file's content from the store. */
export const fileRemoval = "kyc.file.removal"
