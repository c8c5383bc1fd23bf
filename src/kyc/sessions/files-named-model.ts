/** Which files an answer names, for the server and the dashboard. */
import { isJsonObject, type JsonObject } from "../../shared/json.ts"

/** More than any step asks for. */
const mostFiles = 50

export interface FileNamed {
  /** In lower case, as ids are stored. */
  readonly id: string
  readonly side: unknown
  readonly document: unknown
  readonly prompt: unknown
}

/** The files that an answer names. */
export const filesNamed = ({ files }: JsonObject): ReadonlyArray<FileNamed> =>
  (Array.isArray(files) ? files : [])
    .slice(0, mostFiles)
    .filter(isJsonObject)
    .flatMap(({ document, id, prompt, side }) =>
      typeof id === "string" && id !== "" ? [{ id: id.toLowerCase(), side, document, prompt }] : []
    )
