/** Debian's Redis as a separate process. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect, type Scope } from "effect"
import { freePort } from "../../../src/shared/port.ts"
import { eventually } from "../eventually.ts"
import { temporaryFolder } from "../postgres.ts"

/** Undefined without Redis: tests that need it are skipped by name. */
const program = Bun.which("redis-server")

export const withoutRedis = program === null

export interface TestRedis {
  readonly url: string
  /** Starts it again on the same port, without data. */
  readonly start: Effect.Effect<void, Error>
  /** Kills it. */
  readonly kill: Effect.Effect<void>
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  readonly send: (command: string, ...args: ReadonlyArray<string>) => Effect.Effect<unknown>
}

/** A running Redis without persistence; stops with the scope. */
export const redis: Effect.Effect<TestRedis, Error, Scope.Scope> = Effect.gen(function* () {
  if (program === null) return yield* Effect.die(new Error("There is no redis-server"))
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const url = `redis://127.0.0.1:${port}`
  let child: ReturnType<typeof spawn> | undefined

  const send = (command: string, ...args: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const client = new Bun.RedisClient(url, { autoReconnect: false })
      try {
        return await client.send(command, [...args])
      } finally {
        client.close()
      }
    })
  const kill = Effect.promise(async () => {
    const ended = child
    child = undefined
    if (ended === undefined) return
    const closed = once(ended, "close")
    ended.kill("SIGKILL")
    await closed
  })
  const start = Effect.gen(function* () {
    child = spawn(
      program,
      ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"],
      { stdio: "ignore" }
    )
    yield* eventually(
      "Redis answers",
      30_000,
      Effect.promise(async () => {
        const client = new Bun.RedisClient(url, { autoReconnect: false, connectionTimeout: 500 })
        const answer = await client.send("PING", []).catch(() => undefined)
        client.close()
        return answer === "PONG"
      })
    )
  })
  yield* Effect.acquireRelease(start, () => kill)
  return {
    url,
    start,
    kill,
    send,
    pause: Effect.sync(() => void child?.kill("SIGSTOP")),
    resume: Effect.sync(() => void child?.kill("SIGCONT"))
  }
})
