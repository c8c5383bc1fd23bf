import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Data, Deferred, Duration, Effect, FiberId, Schema } from "effect"
import { Answered, type Asked, type Look } from "./look-model.ts"

/** The process died, hung or took too much memory. */
export class NoLook extends Data.TaggedError("NoLook") {}

/** Limits of the process that looks at photos, and its program. */
export class LookingBounds extends Context.Reference<LookingBounds>()("doorlock/kyc/LookingBounds", {
  defaultValue: () => ({
    program: join(import.meta.dirname, "look.ts"),
    /** For one photo. The slowest takes 2 seconds on a free core. */
    timeout: Duration.seconds(60),
    /** 1 GiB, if the system reports memory (Linux). `bun run bench checks` measures what they take. */
    bytes: 1_073_741_824,
    /** How long the process waits for the next photo before it is stopped, so that its memory is free. */
    idle: Duration.seconds(30)
  })
}) {}

/** How often the memory of the process is checked, in milliseconds. */
const pause = 50

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
    const { bytes, idle, program, timeout } = yield* LookingBounds
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
      clearTimeout(stopWhenIdle)
      if (running === undefined) return
      const { child, watch } = running
      running = undefined
      clearInterval(watch)
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
      const watch = setInterval(() => {
        if (residentBytes(child.pid) > bytes) stop()
      }, pause)
      return { child, watch }
    }

    const ask = (asked: Omit<Asked, "number">) =>
      Effect.suspend(() => {
        clearTimeout(stopWhenIdle)
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
        ask(asked).pipe(
          Effect.timeoutFail({ duration: timeout, onTimeout: () => new NoLook() }),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (exit._tag === "Failure") stop()
              else {
                stopWhenIdle = setTimeout(stop, Duration.toMillis(idle))
                stopWhenIdle.unref()
              }
            })
          )
        )
      )

    return { look }
  })
}) {}
