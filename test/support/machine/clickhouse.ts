/** ClickHouse, in a process of its own. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { eventually } from "../eventually.ts"
import { temporaryFolder } from "../postgres.ts"
import { freePort } from "./free-port.ts"
import { type Restartable, restartable } from "./restartable.ts"

const folder = join(import.meta.dirname, "../clickhouse")

/** Whether tests that need it are skipped by name. */
export const withoutClickHouse = !existsSync(join(folder, "node_modules/chdb"))

/** With its data when it is started again, on the same port. */
export interface TestClickHouse extends Restartable {
  readonly url: string
  /** Rows of a query, as objects. */
  readonly ask: (query: string) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

/** With its data in a temporary folder; stops with the scope. */
export const clickHouse: Effect.Effect<TestClickHouse, Error, Scope.Scope> = Effect.gen(function* () {
  const data = yield* temporaryFolder
  const port = yield* freePort
  const url = `http://127.0.0.1:${port}`
  const send = (query: string) =>
    fetch(url, { method: "POST", body: query }).then(async (answer) => {
      const body = await answer.text()
      if (!answer.ok) throw new Error(body)
      return body
    })
  const running = yield* restartable(
    () =>
      spawn(process.execPath, [join(folder, "program.ts"), String(port), join(data, "clickhouse")], {
        stdio: ["ignore", "ignore", "inherit"]
      }),
    eventually(
      "ClickHouse answers",
      Effect.promise(() =>
        send("select 1").then(
          () => true,
          () => false
        )
      )
    )
  )
  return {
    ...running,
    url,
    ask: (query) =>
      Effect.promise(async () =>
        (await send(`${query} format JSONEachRow`))
          .split("\n")
          .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
      )
  }
})
