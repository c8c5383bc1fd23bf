import { Data } from "effect"

export class FileNotFound extends Data.TaggedError("FileNotFound") {}

export class FileEmpty extends Data.TaggedError("FileEmpty") {}

/** The file has more bytes than the session's instance allows. */
export class FileTooLarge extends Data.TaggedError("FileTooLarge") {}

/** The first bytes are of no accepted type, or the rest of the file does not match their type. */
export class FileTypeRefused extends Data.TaggedError("FileTypeRefused") {}

export class ImageTooLarge extends Data.TaggedError("ImageTooLarge") {}

/** Too many others were waiting, or the examination took too much time or memory. */
export class NotExamined extends Data.TaggedError("NotExamined")<{
  /** Whether the examination began, and so took too much. */
  readonly begun: boolean
}> {}

export class TooManyFiles extends Data.TaggedError("TooManyFiles") {}

/** The connection broke in the middle of the file, or the upload took too long. */
export class UploadIncomplete extends Data.TaggedError("UploadIncomplete") {}
