import * as Schema from "effect/Schema"
import { Timestamp } from "../../model.ts"
import { captureSettings, fileTypes } from "../instances/config-model.ts"

/** Files of one session, uploads under way included. */
export const maxFilesPerSession = 40

/** The types that are told by their first bytes (`sniff.ts`); an instance accepts some of them. */
export const FileType = Schema.Literal(...fileTypes)
export type FileType = typeof FileType.Type

const extensions: Readonly<Record<FileType, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/heic": "heic",
  "application/pdf": "pdf"
}

/** An uploaded file, without its content. */
export const StoredFile = Schema.Struct({
  id: Schema.String,
  content_type: FileType.annotations({ description: "As the first bytes say, whatever was declared." }),
  size: Schema.Number.annotations({ description: "Bytes." }),
  sha256: Schema.String.annotations({ description: "Of the content, in hex." }),
  created_at: Timestamp
}).annotations({ identifier: "KycFile", description: "A file as it was uploaded." })
export type StoredFile = typeof StoredFile.Type

/** The id in the file store of the copy that partners read of an image. */
export const copyIdOf = (id: string): string => `${id}-copy`

/** What there is to be read of a file. */
export interface FileContent {
  readonly id: string
  readonly content_type: FileType
  /** Bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
}

/** The name under which a file is saved: nothing of what the end user's own file was called. */
export const fileName = ({ content_type, id }: FileContent): string => `${id}.${extensions[content_type]}`

/** What a session takes in. */
export interface CaptureLimits {
  readonly maxBytes: number
  readonly types: ReadonlyArray<FileType>
}

/** Bytes of one file where the instance says nothing: 5 MiB. */
const defaultMaxBytes = 5_242_880

const defaultTypes: ReadonlyArray<FileType> = ["image/jpeg", "image/png", "application/pdf"]

/** The limits that `capture` of an instance's config sets, by the schema it was saved by. */
export const captureLimits = (capture: unknown): CaptureLimits => {
  const { maxBytes = defaultMaxBytes, mime = defaultTypes } = captureSettings(capture)
  return { maxBytes, types: mime }
}
