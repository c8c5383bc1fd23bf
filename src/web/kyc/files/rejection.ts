import type { PageConfig } from "../instances/config.ts"

/** Why a file is refused. */
export type FileRejection = "fileUnreadable" | "fileType" | "fileActive" | "fileTooLarge" | "filesExhausted"

/** Why a file cannot be sent as it is. */
export const rejectionOf = (
  file: File,
  { maxBytes, mime }: PageConfig["capture"]
): FileRejection | undefined => {
  if (!mime.includes(file.type)) return "fileType"
  return file.size > maxBytes ? "fileTooLarge" : undefined
}
