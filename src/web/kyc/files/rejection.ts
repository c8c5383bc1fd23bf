import type { PageConfig } from "../instances/config.ts"

/** Why a file is not taken. */
export type FileRejection = "fileUnreadable" | "fileType" | "fileActive" | "fileTooLarge" | "filesExhausted"

/** What there is against sending a file as it is. */
export const rejectionOf = (
  file: File,
  { maxBytes, mime }: PageConfig["capture"]
): FileRejection | undefined => {
  if (!mime.includes(file.type)) return "fileType"
  return file.size > maxBytes ? "fileTooLarge" : undefined
}
