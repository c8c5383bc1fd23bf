import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ToWorker } from "../../src/workers/messages.ts"
import { mostUnread, sending } from "../../src/workers/sending.ts"
import { eventually } from "../support/eventually.ts"

/** The metrics of a service with this many series. */
const collected = (id: number, series: number): ToWorker => ({
  _tag: "Collected",
  id,
  families: [
    {
      name: "doorlock_http_request_duration_seconds",
      help: "Seconds.",
      kind: "histogram",
      bounds: [0.01, 0.1, 1],
      series: Object.fromEntries(
        Array.from({ length: series }, (_, i) => [
          `method="GET",route="/api/somewhere/${i}",status="2xx"`,
          [12, 3, 4, 5, 6.789]
        ])
      )
    }
  ]
})

/** A process that prints the number of every message it receives. */
const listener = Effect.acquireRelease(
  Effect.sync(() =>
    spawn(process.execPath, ["-e", "process.on('message', ({ id }) => process.send(id))"], {
      stdio: ["ignore", "inherit", "inherit", "ipc"]
    })
  ),
  (child) =>
    Effect.promise(async () => {
      const closed = once(child, "close")
      if (child.kill("SIGKILL")) await closed
    })
)

const standsStill = ({ pid }: ChildProcess) =>
  Effect.promise(async () => / T /.test(await readFile(`/proc/${pid}/stat`, "utf8")))

describe("messages to a worker", () => {
  it.scopedLive("are bounded while it is blocked; then they continue", () =>
    Effect.gen(function* () {
      const child = yield* listener
      const heard: Array<unknown> = []
      child.on("message", (id) => heard.push(id))
      const tell = sending(child)
      tell(collected(0, 1))
      yield* eventually("it listens", () => heard.length === 1)

      child.kill("SIGSTOP")
      yield* eventually("it stands still", standsStill(child))
      for (let id = 1; id <= 30; id++) tell(collected(id, mostUnread / 5))
      child.kill("SIGCONT")
      yield* eventually("it has read what was kept", () => heard.length === 6)
      tell(collected(31, 1))
      yield* eventually("it hears what comes later", () => heard.at(-1) === 31)
      expect(heard).toEqual([0, 1, 2, 3, 4, 5, 31])
    })
  )

  it("have the same bound after a failed send", () => {
    const callbacks: Array<(error: Error | null) => void> = []
    const tell = sending({ connected: true, send: (_, callback) => callbacks.push(callback) })
    const fill = () => {
      for (let id = 1; id <= 30; id++) tell(collected(id, mostUnread / 5))
      return callbacks.splice(0)
    }
    const [failed, ...late] = fill()
    expect(late).toHaveLength(4)
    failed?.(new Error("The pipe is broken"))
    for (const callback of late) callback(null)
    expect(fill()).toHaveLength(5)
    expect(fill()).toHaveLength(0)
  })
})
