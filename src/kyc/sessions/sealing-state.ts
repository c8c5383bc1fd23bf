import { Effect, Layer } from "effect"
import * as storedKey from "../../secrets/stored-key.ts"
import { SessionKeyRepo } from "./keys-repo.ts"
import { SessionKeys } from "./keys-service.ts"

/** How many keys of sessions each `SECRET_KEY` sealed. */
export const sealingState = Effect.flatMap(SessionKeys, ({ secrets }) => secrets).pipe(
  Effect.provide(
    SessionKeys.Default.pipe(Layer.provide(SessionKeyRepo.Default), Layer.provide(storedKey.layer))
  )
)
