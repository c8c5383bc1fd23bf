import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Data, Deferred, Effect, FiberId, Schema } from "effect"
import { type Timer, Timing } from "../../shared/timing.ts"
import { Answered, type Asked, type Look } from "./look-model.ts"

/** The process died, hung, or took too much CPU time or memory. */
export class NoLook extends Data.TaggedError("NoLook") {}

/** The process did not answer in time, although it took little CPU time: the machine is busy. */
export class LookUnfinished extends Data.TaggedError("LookUnfinished") {}

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

/** What follows the name, which is in parentheses and may have spaces. */
const statOf = (folder: string): ReadonlyArray<string> => {
  const [, fields = ""] = /^.*\) (.*)$/s.exec(readFileSync(`${folder}/stat`, "latin1")) ?? []
  return fields.split(" ")
}

/** CPU time in milliseconds, and whether all threads of the process wait for something other than the CPU or the disk; undefined if the system does not report it. */
const activityOf = (pid: number): { readonly cpu: number; readonly isAsleep: boolean } | undefined => {
  try {
    // Of the fields after the name, the state is the first (proc(5)), and utime and stime are the 12th and the 13th, in hundredths of a second.
    const [user, system] = statOf(`/proc/${pid}`).slice(11, 13).map(Number)
    if (user === undefined || system === undefined) return undefined
    // Pictures are decoded in other threads than the main one.
    const threads = readdirSync(`/proc/${pid}/task`)
    const isAsleep = threads.every((thread) => statOf(`/proc/${pid}/task/${thread}`)[0] === "S")
    return { cpu: 10 * (user + system), isAsleep }
  } catch {
    return undefined
  }
}

const decodeAnswer = Schema.decodeUnknownOption(Answered)

/**
 * Looks at photos in a process of its own, one at a time. A photo that crashes it, takes too much CPU time or fills its memory stops the process; the next
 * photo gets a new one.
 */
export class Looking extends Effect.Service<Looking>()("Looking", {
  scoped: Effect.gen(function* () {
    const { bytes, program } = yield* LookingBounds
    const { after, every, pause, timeout, withinOr } = yield* Timing
    const mostCpu = timeout("kyc.look_cpu")
    const turn = yield* Effect.makeSemaphore(1)

    interface Running {
      readonly child: Bun.Subprocess
      readonly watch: Timer
    }
    let running: Running | undefined
    let stopWhenIdle: Timer | undefined
    interface Awaited {
      readonly number: number
      readonly answer: Deferred.Deferred<Look, NoLook>
      /** The CPU time of the process before; undefined if the system does not report it. */
      readonly cpuBefore: number | undefined
    }
    let awaited: Awaited | undefined
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
        const cpu = activityOf(child.pid)?.cpu
        const { cpuBefore } = awaited ?? {}
        const isBusy = cpu !== undefined && cpuBefore !== undefined && cpu - cpuBefore > mostCpu
        if (isBusy || residentBytes(child.pid) > bytes) stop()
      })
      return { child, watch }
    }

    const ask = (asked: Omit<Asked, "number">) =>
      Effect.suspend(() => {
        stopWhenIdle?.cancel()
        running ??= start()
        number += 1
        const answer = Deferred.unsafeMake<Look, NoLook>(FiberId.none)
        awaited = { number, answer, cpuBefore: activityOf(running.child.pid)?.cpu }
        running.child.send({ number, ...asked } satisfies Asked)
        return Deferred.await(answer)
      })

    yield* Effect.addFinalizer(() => Effect.sync(stop))

    /**
     * On a busy machine the process waits for the CPU or the disk. If it sleeps, and has done little, it hangs. Without the CPU time
     * these look the same.
     */
    const late = () => {
      const { cpuBefore } = awaited ?? {}
      const now = running && activityOf(running.child.pid)
      if (cpuBefore === undefined || now === undefined) return new NoLook()
      return now.isAsleep && now.cpu - cpuBefore < timeout("kyc.look_asleep")
        ? new NoLook()
        : new LookUnfinished()
    }

    /** What is seen in a photo. Fails with `NoLook`, and another try may succeed, or with `LookUnfinished`. */
    const look = (asked: Omit<Asked, "number">): Effect.Effect<Look, NoLook | LookUnfinished> =>
      turn.withPermits(1)(
        withinOr("kyc.look", ask(asked), late).pipe(
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
