import { Effect, Layer } from "effect"
import { Looking } from "./looking.ts"
import { ReadingsApi } from "./readings-api.ts"
import * as http from "./readings-http.ts"
import { Readings } from "./readings-service.ts"
import { Checks } from "./service.ts"
import { checking, reading } from "./work.ts"

/** What the photos of a session show. */
export const checks = {
  contract: [ReadingsApi],
  routes: http.layer,
  services: Layer.provide(Layer.merge(Checks.Default, Readings.Default), Looking.Default),
  work: [checking, reading],
  housekeeping: {
    browser_marks: Effect.flatMap(Checks, ({ forgetMarks }) => forgetMarks),
    readings: Effect.flatMap(Readings, ({ wipe }) => wipe)
  }
} as const
