/** A process in place of the one that looks at photos. */
import { existsSync, readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { vi } from "vitest"
import { LookingBounds } from "../../../src/kyc/checks/looking.ts"
import { eventually } from "../eventually.ts"
import { temporaryFolder } from "../postgres.ts"
import { spied } from "../spies.ts"
import { withTimes } from "../timing.ts"

type Bounds = ReturnType<typeof LookingBounds.defaultValue>

/** A process that notes each photo it is asked about, then does what `then` says. */
export const looker = (then: string, bounds: Partial<Bounds> = {}) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const [program, asked, go] = ["looker.ts", "asked", "go"].map((name) => join(folder, name)) as [
      string,
      string,
      string
    ]
    yield* Effect.promise(() =>
      writeFile(
        program,
        `import { appendFileSync, existsSync } from "node:fs"
        const go = ${JSON.stringify(go)}
        process.on("message", async ({ number }) => {
          appendFileSync(${JSON.stringify(asked)}, "x")
          ${then}
        })`
      )
    )
    const spawns = yield* spied(() => vi.spyOn(Bun, "spawn"))
    return {
      /** Starts a server that asks this process. */
      on: <A, E, R>(start: Effect.Effect<A, E, R>) =>
        start.pipe(
          Effect.provideService(LookingBounds, { ...LookingBounds.defaultValue(), ...bounds, program }),
          // A stopping server gives the job back at once.
          withTimes({ timeouts: { "work.stop": 0 } })
        ),
      /** How often the process was started, whether or not it had the time to note what it was asked. */
      started: () =>
        spawns.mock.calls.filter(([command]) => Array.isArray(command) && command.includes(program)).length,
      asked: () => (existsSync(asked) ? readFileSync(asked, "utf8") : ""),
      isAsked: eventually("the process is asked about the photo", () => existsSync(asked)),
      goOn: Effect.promise(() => writeFile(go, ""))
    }
  })

const hash = "5a".repeat(256)

/** Sees something in the photo once the test lets it. */
export const waiting = `while (!existsSync(go)) await Bun.sleep(10)
  const quality = { width: 800, height: 600, sharpness: 100, brightness: 100, glare: 0 }
  const nothing = { found: "nothing" }
  process.send({ number, look: { found: "picture", quality, hash: "${hash}", zone: nothing, barcode: nothing, faces: nothing, vector: nothing } })`
