import { Effect } from "effect"
import { type Check, doubtful, type Finding, firstOf, well } from "../../cli/check.ts"
import { DocumentStates } from "./document-states-service.ts"

interface Named {
  readonly name: string
  readonly problem: string
}

const listed = (what: string, all: ReadonlyArray<Named>): ReadonlyArray<string> =>
  all.length === 0
    ? []
    : [`${what}: ${all.length}. ${firstOf(all.map(({ name, problem }) => `${name}: ${problem}`))}.`]

/** Whether the description of published APIs contains the OpenAPI documents of all versions. */
export const documents: Effect.Effect<Finding, never, DocumentStates> = Effect.gen(function* () {
  const { refused, set_aside, unchecked } = yield* (yield* DocumentStates).find
  const problems = [
    ...listed("OpenAPI documents that are left out of the description of published APIs", refused),
    ...listed("OpenAPI documents that were set aside because they could not be checked", set_aside)
  ]
  const advice = [
    "Tell their publishers. A version's document cannot be changed, but a new version can have another one. Calls are not affected.",
    ...(set_aside.length === 0
      ? []
      : [
          "A document that was set aside is checked again when its API is published again, or by a release of doorlock that repeats the checks."
        ])
  ]
  if (problems.length > 0) return doubtful(problems.join(" "), advice.join(" "))
  return unchecked > 0
    ? doubtful(
        `OpenAPI documents that have not been checked yet: ${unchecked}.`,
        "A running service checks them one by one. Until then, it describes the APIs as before, or without these documents."
      )
    : well("All OpenAPI documents have been checked and are valid.")
})

export const checks: ReadonlyArray<Check> = [
  { name: "documents", ofDatabase: Effect.provide(documents, DocumentStates.Default) }
]
