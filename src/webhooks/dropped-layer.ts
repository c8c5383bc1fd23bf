import { Effect, Layer, Option, Schema } from "effect"
import { DropFollower } from "../work/service.ts"
import { Round } from "./attempt-model.ts"
import { AttemptRepo } from "./attempts-repo.ts"
import { attemptJobs } from "./fan-out-repo.ts"

const kinds: ReadonlyArray<string> = Object.values(attemptJobs)

const decodeRound = Schema.decodeUnknownOption(Round)

/** The deliveries of dropped jobs end: without a job, they would be pending for ever. */
export const layer = Layer.effect(
  DropFollower,
  Effect.map(AttemptRepo, ({ fail }) => (dropped) => {
    // A payload that cannot be decoded names no delivery.
    const rounds = dropped
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap(({ payload }) => Option.toArray(decodeRound(payload)))
    return rounds.length === 0 ? Effect.void : fail(rounds)
  })
).pipe(Layer.provide(AttemptRepo.Default))
