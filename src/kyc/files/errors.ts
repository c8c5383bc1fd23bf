import * as Data from "effect/Data"

/** The session has no such file. */
export class FileNotFound extends Data.TaggedError("FileNotFound") {}

/** There was not a single byte. */
export class FileEmpty extends Data.TaggedError("FileEmpty") {}

/** More bytes than the session's instance allows. */
export class FileTooLarge extends Data.TaggedError("FileTooLarge") {}

/** The first bytes are of no type that the session's instance accepts, or the rest is not of the type that they say. */
export class FileTypeRefused extends Data.TaggedError("FileTypeRefused") {}

/** An image of more pixels than are decoded. */
export class ImageTooLarge extends Data.TaggedError("ImageTooLarge") {}

/** It could not be looked into: too many others are, or it has taken too much time or memory. */
export class NotExamined extends Data.TaggedError("NotExamined")<{
  /** Whether it was begun, and took too much. */
  readonly begun: boolean
}> {}

/** A PDF that is encrypted, or can do something to whoever opens it. */
export class PdfRefused extends Data.TaggedError("PdfRefused") {}

/** An image from before there were copies, of which none can be made. */
export class NoCopy extends Data.TaggedError("NoCopy") {}

/** The session has as many files as one session may. */
export class TooManyFiles extends Data.TaggedError("TooManyFiles") {}

/** The connection broke off in the middle of the file, or the whole of it took too long. */
export class UploadIncomplete extends Data.TaggedError("UploadIncomplete") {}
