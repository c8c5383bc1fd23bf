import { Effect, Layer } from "effect"
import { SessionRepo } from "./repo.ts"

/**
 * A process that starts after the service was down for months creates the partitions for its sessions first. Housekeeping creates later ones, months
 * before they are needed, so a failure does not keep the process from starting.
 */
export const layer = Layer.effectDiscard(
  Effect.flatMap(SessionRepo, ({ rollPartitions }) =>
    Effect.catchAllCause(rollPartitions, (cause) =>
      Effect.logWarning("The partitions of the next months could not be created; trying again later", cause)
    )
  )
)

/** The partitions that there are. */
export const partitions = Effect.flatMap(SessionRepo, ({ partitions }) => partitions).pipe(
  Effect.provide(SessionRepo.Default)
)
export type Partitions = Effect.Effect.Success<typeof partitions>
