import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Data, Deferred, Effect, FiberId, Schema } from "effect"
import { type Timer, Timing } from "../../shared/timing.ts"
import { Answered, type Asked, type Look } from "./look-model.ts"

/** The process died, hung or took too much memory. */
export class NoLook extends Data.TaggedError("NoLook") {}

/** The process that looks at photos: its program, and how much memory it may take. */
export class LookingBounds extends Context.Reference<LookingBounds>()("doorlock/kyc/LookingBounds", {
  defaultValue: () => ({
    program: join(import.meta.dirname, "look.ts"),
    /** 1 GiB, if the system reports memory (Linux). `bun run bench checks` measures what they take. */
    bytes: 1_073_741_824
  })
}) {}

/** Resident memory in bytes; 0 if the system does not report it. */
const residentBytes = (pid: number): number => {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const decodeAnswer = Schema.decodeUnknownOption(Answered)

/**
 * Looks at photos in a process of its own, one at a time. A photo that crashes it, keeps it busy or fills its memory stops the process; the next
 * photo gets a new one.
 */
export class Looking extends Effect.Service<Looking>()("Looking", {
  scoped: Effect.gen(function* () {
    const { bytes, program } = yield* LookingBounds
    const { after, every, pause, withinOr } = yield* Timing
    const turn = yield* Effect.makeSemaphore(1)

    interface Running {
      readonly child: Bun.Subprocess
      readonly watch: Timer
    }
    let running: Running | undefined
    let stopWhenIdle: Timer | undefined
    let awaited: { readonly number: number; readonly answer: Deferred.Deferred<Look, NoLook> } | undefined
    let number = 0

    const settle = (outcome: Effect.Effect<Look, NoLook>): void => {
      if (awaited !== undefined) Deferred.unsafeDone(awaited.answer, outcome)
      awaited = undefined
    }

    const stop = (): void => {
      stopWhenIdle?.cancel()
      if (running === undefined) return
      const { child, watch } = running
      running = undefined
      watch.cancel()
      child.kill("SIGKILL")
      settle(Effect.fail(new NoLook()))
    }

    const start = (): Running => {
      const child = Bun.spawn([process.execPath, "--smol", program], {
        // Not doorlock's working directory: it may contain settings for Bun.
        cwd: "/",
        // glibc is to return large blocks at once. Otherwise they split its memory until the process has twice as much.
        env: { MALLOC_MMAP_THRESHOLD_: "1000000" },
        stdio: ["ignore", "ignore", "ignore"],
        serialization: "advanced",
        ipc: (message) => {
          // A decoder that a photo has taken over could send anything.
          const answered = decodeAnswer(message)
          if (answered._tag === "Some" && answered.value.number === awaited?.number) {
            settle(Effect.succeed(answered.value.look))
          }
        },
        onExit: () => {
          if (running?.child === child) stop()
        }
      })
      const watch = every("kyc.memory_watch", () => {
        if (residentBytes(child.pid) > bytes) stop()
      })
      return { child, watch }
    }

    const ask = (asked: Omit<Asked, "number">) =>
      Effect.suspend(() => {
        stopWhenIdle?.cancel()
        running ??= start()
        number += 1
        const answer = Deferred.unsafeMake<Look, NoLook>(FiberId.none)
        awaited = { number, answer }
        running.child.send({ number, ...asked } satisfies Asked)
        return Deferred.await(answer)
      })

    yield* Effect.addFinalizer(() => Effect.sync(stop))

    /** What is seen in a photo. Fails with `NoLook`; another try may succeed. */
    const look = (asked: Omit<Asked, "number">): Effect.Effect<Look, NoLook> =>
      turn.withPermits(1)(
        withinOr("kyc.look", ask(asked), () => new NoLook()).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (exit._tag === "Failure") stop()
              else stopWhenIdle = after(pause("kyc.look_idle"), stop)
            })
          )
        )
      )

    return { look }
  })
}) {}
