import * as Effect from "effect/Effect"
import { DocumentStates } from "../../marketplace/catalog/document-states-service.ts"
import { doubtful, type Finding, well } from "./finding.ts"

/** Documents named in one sentence. */
const named = 5

/** Whether the OpenAPI documents of all versions are in the description of published APIs. */
export const documents: Effect.Effect<Finding, never, DocumentStates> = Effect.gen(function* () {
  const { refused, unchecked } = yield* (yield* DocumentStates).find
  if (refused.length > 0) {
    const some = refused.slice(0, named).map(({ name, problem }) => `${name}: ${problem}`)
    const more = refused.length > named ? `; and ${refused.length - named} more` : ""
    return doubtful(
      `OpenAPI documents that are left out of the description of published APIs: ${refused.length}. ${some.join("; ")}${more}.`,
      "Tell their publishers; a version's document never changes, a new version can have another. Calls go on as before."
    )
  }
  return unchecked > 0
    ? doubtful(
        `OpenAPI documents that have not been checked yet: ${unchecked}.`,
        "A running service checks them, one after the other, and describes the APIs without them meanwhile."
      )
    : well("All OpenAPI documents have been checked and are good.")
})
