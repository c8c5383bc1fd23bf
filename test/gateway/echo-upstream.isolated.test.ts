/** The socket of the demo API on loopback: only for a process whose callers use that API, and only for the gateway. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { vi } from "vitest"
import { EchoUpstream } from "../../src/gateway/echo-upstream.ts"
import { spied } from "../support/spies.ts"

it.scopedLive("is opened at the first call, and answers nobody without the secret of the process", () =>
  Effect.gen(function* () {
    const opened = yield* spied(() => vi.spyOn(Bun, "serve"))
    const echo = Context.get(yield* Layer.build(EchoUpstream.Default), EchoUpstream)
    expect(opened.mock.calls).toHaveLength(0)
    const { basePath, origin } = echo.upstream()
    expect(echo.upstream()).toBe(echo.upstream())
    expect(opened.mock.calls).toHaveLength(1)
    const ask = (path: string) =>
      Effect.promise(async () => (await fetch(`http://${origin.hostname}:${origin.port}${path}`)).status)
    expect(basePath).toMatch(/^\/[0-9A-Za-z]{43}$/)
    expect(yield* ask(`${basePath}/v1/health`)).toBe(200)
    for (const path of ["/v1/health", "/v1/echo", `/${"0".repeat(43)}/v1/health`]) {
      expect([path, yield* ask(path)]).toEqual([path, 404])
    }
  })
)
