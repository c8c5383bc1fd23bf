import { Effect } from "effect"
import { type Check, doubtful, well } from "../../cli/check.ts"
import { CheckDemand } from "./demand-service.ts"
import { missingPackages, PackagesFolder } from "./packages.ts"

/** The packages matter only if an instance asks for checks of photos. */
const packages = Effect.gen(function* () {
  const instances = yield* (yield* CheckDemand).instances
  if (instances === 0) return well("No instance has checks.photos on.")
  const missing = missingPackages(yield* PackagesFolder)
  const those = instances === 1 ? "1 instance has" : `${instances} instances have`
  if (missing.length === 0) {
    return well(`All packages that look at photos are installed, and ${those} checks.photos on.`)
  }
  const installs = [
    ...(missing.some(({ runsNetworks }) => runsNetworks) ? ["Run bun run networks."] : []),
    ...(missing.every(({ runsNetworks }) => runsNetworks) ? [] : ["Run bun install without --omit=optional."])
  ]
  return doubtful(
    `${those} checks.photos on, but these packages are not installed: ${missing.map(({ name }) => name).join(", ")}. What needs them ends as not_checked.`,
    `${installs.join(" ")} Then start the service again. docs/checks.md says what each package is for.`
  )
})

export const checks: ReadonlyArray<Check> = [
  { name: "photo checks", ofDatabase: Effect.provide(packages, CheckDemand.Default) }
]
