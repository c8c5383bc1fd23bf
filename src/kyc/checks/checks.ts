import { access, constants } from "node:fs/promises"
import { Effect } from "effect"
import { type Check, doubtful, type Finding, well } from "../../cli/check.ts"
import type { Configuration } from "../../config.ts"
import { missingPackages, PackagesFolder } from "./packages.ts"
import { CheckDemand } from "./service.ts"

/** The packages matter only if an instance asks for checks of photos. */
const packages = Effect.gen(function* () {
  const instances = yield* (yield* CheckDemand).instances
  if (instances === 0) return well("No instance has checks.photos on.")
  const missing = missingPackages(yield* PackagesFolder)
  const those = instances === 1 ? "1 instance has" : `${instances} instances have`
  if (missing.length === 0) {
    return well(`All packages that look at photos are installed, and ${those} checks.photos on.`)
  }
  return doubtful(
    `${those} checks.photos on, but these packages are not installed: ${missing.join(", ")}. What needs them ends as not_checked.`,
    "Run bun install without --omit=optional, then start the service again. docs/checks.md says what each package is for."
  )
})

const faceModel = ({ faceModel }: Configuration): Effect.Effect<Finding | undefined> => {
  if (faceModel === undefined) return Effect.succeed(undefined)
  const { path, threshold } = faceModel
  return Effect.match(
    Effect.tryPromise(() => access(path, constants.R_OK)),
    {
      onFailure: () =>
        doubtful(
          `CHECKS_FACE_MODEL names ${path}, which cannot be read. Comparisons of faces end as not_checked.`,
          "Put the ONNX file there, or correct CHECKS_FACE_MODEL. docs/checks.md says what it has to be."
        ),
      onSuccess: () => well(`Faces are compared by ${path}, with a threshold of ${threshold}.`)
    }
  )
}

export const checks: ReadonlyArray<Check> = [
  { name: "face model", ofConfiguration: faceModel },
  { name: "photo checks", ofDatabase: Effect.provide(packages, CheckDemand.Default) }
]
