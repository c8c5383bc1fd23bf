/** Debian's Redis as a separate process. */
import { spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import { eventually } from "../eventually.ts"
import { temporaryFolder } from "../postgres.ts"
import { freePort } from "./free-port.ts"
import { type Restartable, restartable } from "./restartable.ts"

/** Undefined without Redis: tests that need it are skipped by name. */
const program = Bun.which("redis-server")

export const withoutRedis = program === null

/** Without data when it is started again, on the same port. */
export interface TestRedis extends Restartable {
  readonly url: string
  readonly send: (command: string, ...args: ReadonlyArray<string>) => Effect.Effect<unknown>
}

/** A running Redis without persistence; stops with the scope. */
export const redis: Effect.Effect<TestRedis, Error, Scope.Scope> = Effect.gen(function* () {
  if (program === null) return yield* Effect.die(new Error("There is no redis-server"))
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const url = `redis://127.0.0.1:${port}`

  const send = (command: string, ...args: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const client = new Bun.RedisClient(url, { autoReconnect: false })
      try {
        return await client.send(command, [...args])
      } finally {
        client.close()
      }
    })
  const running = yield* restartable(
    () =>
      spawn(
        program,
        ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"],
        { stdio: "ignore" }
      ),
    eventually(
      "Redis answers",
      Effect.promise(async () => {
        const client = new Bun.RedisClient(url, { autoReconnect: false, connectionTimeout: 500 })
        const answer = await client.send("PING", []).catch(() => undefined)
        client.close()
        return answer === "PONG"
      })
    )
  )
  return { ...running, url, send }
})
