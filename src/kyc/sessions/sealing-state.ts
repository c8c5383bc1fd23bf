import { Effect, Layer } from "effect"
import * as storedKey from "../../secrets/stored-key.ts"
import { SessionKeyRepo } from "./keys-repo.ts"
import { SessionKeys } from "./keys-service.ts"

/** How much is sealed, and by which `SECRET_KEY`. */
export const sealingState = Effect.flatMap(SessionKeys, ({ secrets, unsealed }) =>
  Effect.all({ secrets, unsealed })
).pipe(
  Effect.provide(
    SessionKeys.Default.pipe(Layer.provide(SessionKeyRepo.Default), Layer.provide(storedKey.layer))
  )
)
