import { readFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { join, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { monotonic } from "../../limits/clock.ts"
import { FairQueue } from "../../limits/fair-queue.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { FileTypeRefused, ImageTooLarge, NotExamined, PdfRefused } from "./errors.ts"
import { exits, longestMillis, mostBytes, mostMillis } from "./examination-model.ts"
import { examinationTurns, queueBounds, type Whose } from "./examination-turns.ts"
import type { FileType } from "./model.ts"

/** How often it is looked at what they have used, in milliseconds. */
const pause = 50

interface Bounds {
  /** Milliseconds after which it is killed. */
  readonly millis: number
  /** After so many of a processor's time it is killed, where the system tells how much it has used (Linux). */
  readonly cpuMillis: number
  /** With more memory it is killed, where the system tells how much it has (Linux). */
  readonly bytes: number
}

/** The memory that a process has, in bytes; 0 where that cannot be told. */
const residentBytes = (pid: number): number => {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? []
    return 1024 * Number(kibibytes ?? 0)
  } catch {
    return 0
  }
}

/** The milliseconds of a processor's time that a process has used; 0 where that cannot be told. */
const cpuMillis = (pid: number): number => {
  try {
    // Behind the name, which is in brackets: in hundredths of a second, by itself (the 12th) and for it (the 13th).
    const [, behind = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? []
    const fields = behind.split(" ")
    return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0))
  } catch {
    return 0
  }
}

/**
 * Runs a program that nothing is known of by its environment, in bounds. Answers its exit code, or the signal that ended it. Who is
 * interrupted kills it.
 *
 * @param spend is told, however it ended, how many milliseconds of a processor's time it has used
 */
export const bounded = (
  command: ReadonlyArray<string>,
  { bytes, cpuMillis: mostCpu, millis }: Bounds,
  spend: (cpuMillis: number) => void = () => {}
): Effect.Effect<number | NodeJS.Signals> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const child = Bun.spawn([...command], {
        // Not where doorlock was started: there may be settings for Bun.
        cwd: "/",
        env: {},
        stdio: ["ignore", "ignore", "ignore"],
        timeout: millis,
        killSignal: "SIGKILL"
      })
      const watch = setInterval(() => {
        if (residentBytes(child.pid) > bytes || cpuMillis(child.pid) > mostCpu) child.kill("SIGKILL")
      }, pause)
      const ended = child.exited.then(() => {
        // In microseconds.
        spend(Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000)
      })
      return { child, ended, watch }
    }),
    ({ child, ended }) =>
      Effect.promise(async () => {
        await ended
        return child.signalCode ?? child.exitCode ?? "SIGKILL"
      }),
    ({ child, watch }) =>
      Effect.sync(() => {
        clearInterval(watch)
        child.kill("SIGKILL")
      })
  )

/** The time that one may take. */
export class ExaminationTime extends Context.Reference<ExaminationTime>()(
  "doorlock/kyc/files/ExaminationTime",
  {
    defaultValue: (): Pick<Bounds, "cpuMillis" | "millis"> => ({
      millis: longestMillis,
      cpuMillis: mostMillis
    })
  }
) {}

/** The copy of an image that partners read. */
export interface Copy {
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly sha256: Uint8Array
}

const program = join(import.meta.dirname, "examine.ts")

/** What was written by another process, once it is safe on the disk. */
const written = async (path: string): Promise<Copy> => {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  const hash = new Bun.CryptoHasher("sha256")
  let size = 0
  for await (const bytes of Bun.file(path).stream()) {
    hash.update(bytes)
    size += bytes.length
  }
  return { path, size, sha256: hash.digest() }
}

/**
 * Looks into uploaded files, each in a process of its own (`examine.ts`): a decoder that a file breaks, fills or keeps busy cannot
 * be stopped within this one.
 */
export class Examination extends Effect.Service<Examination>()("Examination", {
  effect: Effect.gen(function* () {
    const queue = new FairQueue(queueBounds)
    const turns = examinationTurns(yield* monotonic)
    const time = yield* ExaminationTime

    /**
     * Makes at `target` the copy of an image that partners read: drawn anew, upright, without metadata. Of a PDF there is none;
     * it must not be able to act. Fails with `FileTypeRefused` when the file cannot be read, with `ImageTooLarge`, with
     * `PdfRefused`, or with `NotExamined`.
     */
    const examine = Effect.fnUntraced(function* (
      { path, type }: { readonly path: string; readonly type: FileType },
      target: string,
      whose: Whose
    ) {
      const lanes = turns.lanesOf(whose, (yield* CurrentRequest).clientAddress())
      const command = [process.execPath, "--smol", program, type, resolve(path), resolve(target)]
      const ended = yield* queue
        .inTurn(
          lanes,
          bounded(command, { ...time, bytes: mostBytes }, (cpuMillis) => turns.spend(lanes, cpuMillis))
        )
        .pipe(Effect.catchTag("NoTurn", () => Effect.fail(new NotExamined({ begun: false }))))
      switch (ended) {
        case exits.fit:
          return type === "application/pdf" ? undefined : yield* Effect.promise(() => written(target))
        case exits.tooManyPixels:
          return yield* new ImageTooLarge()
        case exits.unsafe:
          return yield* new PdfRefused()
        case exits.unreadable:
          return yield* new FileTypeRefused()
        default:
          // A program of ours that fails by itself, as for want of space, is no fault of the file.
          if (typeof ended === "number" && ended !== exits.outOfTime) {
            return yield* Effect.dieMessage(`The examination of a file ended with ${ended}`)
          }
          yield* Effect.logWarning("The examination of an uploaded file was ended", { type, ended })
          return yield* new NotExamined({ begun: true })
      }
    }) satisfies (
      file: { readonly path: string; readonly type: FileType },
      target: string,
      whose: Whose
    ) => Effect.Effect<Copy | undefined, FileTypeRefused | ImageTooLarge | NotExamined | PdfRefused>

    return { examine }
  })
}) {}
