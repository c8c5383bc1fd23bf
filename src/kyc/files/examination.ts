import { readFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { networkPrefix } from "../../limits/failure-budget.ts"
import { FairQueue, type Lane } from "../../limits/fair-queue.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { Timing } from "../../shared/timing.ts"
import { FileTypeRefused, ImageTooLarge, NotExamined } from "./errors.ts"
import { exits, maxCpuMillis, maxMemoryBytes } from "./examination-model.ts"
import type { ImageType, LocalFile } from "./model.ts"

export interface Whose {
  readonly company: string
  readonly session: string
}

export const queueBounds = { atOnce: 2, waiting: 256 } as const

/**
 * The lanes of the queue. Companies behind one client network share one: where sign-up is open, anyone can create companies for free. A page
 * uploads its files one after another, so a session needs few of its company's places.
 */
export const lanesOf = ({ company, session }: Whose, address: string): ReadonlyArray<Lane> => [
  { name: networkPrefix(address) },
  { name: company, waiting: 64 },
  { name: session, atOnce: 1, waiting: 8 }
]

interface Bounds {
  /** The process is killed after this many milliseconds. */
  readonly millis: number
  /** The process is killed after this much CPU time, if the system reports CPU time (Linux). */
  readonly cpuMillis: number
  /** The process is killed above this much memory, if the system reports memory (Linux). */
  readonly bytes: number
}

/** What the group of `pattern` matches in a file of `/proc/<pid>`; undefined if the system has no such file. */
const reported = (pid: number, file: string, pattern: RegExp): string | undefined => {
  try {
    return pattern.exec(readFileSync(`/proc/${pid}/${file}`, "latin1"))?.[1]
  } catch {
    return undefined
  }
}

/** The resident memory of a process in bytes; 0 if the system does not report it. */
const residentBytes = (pid: number): number =>
  1024 * Number(reported(pid, "status", /^VmRSS:\s+(\d+) kB$/m) ?? 0)

/** The CPU time of a process in milliseconds; 0 if the system does not report it. */
const cpuMillis = (pid: number): number => {
  // After the name in parentheses, the 12th and 13th fields are user and system time in hundredths of a second.
  const fields = reported(pid, "stat", /^.*\) (.*)$/s)?.split(" ") ?? []
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0))
}

/**
 * Runs a program with an empty environment and within bounds; interruption kills it. Returns its exit code or
 * the signal that killed it.
 */
export const bounded = (
  command: ReadonlyArray<string>,
  { bytes, cpuMillis: mostCpu, millis }: Bounds
): Effect.Effect<number | NodeJS.Signals> =>
  Effect.acquireUseRelease(
    Effect.map(Timing, ({ every }) => {
      const child = Bun.spawn([...command], {
        // Not doorlock's working directory: it may contain settings for Bun.
        cwd: "/",
        env: {},
        stdio: ["ignore", "ignore", "ignore"],
        timeout: millis,
        killSignal: "SIGKILL"
      })
      const watch = every("kyc.memory_watch", () => {
        if (residentBytes(child.pid) > bytes || cpuMillis(child.pid) > mostCpu) child.kill("SIGKILL")
      })
      return { child, watch }
    }),
    ({ child }) =>
      Effect.promise(async () => {
        await child.exited
        return child.signalCode ?? child.exitCode ?? "SIGKILL"
      }),
    ({ child, watch }) =>
      Effect.sync(() => {
        watch.cancel()
        child.kill("SIGKILL")
      })
  )

const program = join(import.meta.dirname, "examine.ts")

/** The copy that the examining process wrote, once it is safely on disk. */
const written = async (path: string): Promise<LocalFile> => {
  await using file = await open(path)
  await file.sync()
  const hash = new Bun.CryptoHasher("sha256")
  let size = 0
  for await (const bytes of Bun.file(path).stream()) {
    hash.update(bytes)
    size += bytes.length
  }
  return { path, size, sha256: hash.digest() }
}

/** Examines images in separate processes: a decoder that an image crashes or keeps busy must be killable. */
export class Examination extends Effect.Service<Examination>()("Examination", {
  effect: Effect.gen(function* () {
    const { timeout } = yield* Timing
    const queue = new FairQueue({ ...queueBounds, timeout: timeout("kyc.examination_turn") })
    const bounds = { millis: timeout("kyc.examination"), cpuMillis: maxCpuMillis, bytes: maxMemoryBytes }

    /**
     * Writes the copy for partners to `target`: re-encoded, upright and without metadata. Fails with
     * `FileTypeRefused` if the image is unreadable, `ImageTooLarge` or `NotExamined`.
     */
    const examine = Effect.fnUntraced(function* (
      { path, type }: { readonly path: string; readonly type: ImageType },
      target: string,
      whose: Whose
    ): Effect.fn.Return<LocalFile, FileTypeRefused | ImageTooLarge | NotExamined> {
      const lanes = lanesOf(whose, (yield* CurrentRequest).clientAddress())
      const command = [
        process.execPath,
        "--smol",
        program,
        type,
        resolve(path),
        resolve(target),
        `${bounds.millis}`
      ]
      const ended = yield* queue
        .inTurn(lanes, bounded(command, bounds))
        .pipe(Effect.catchTag("NoTurn", () => Effect.fail(new NotExamined({ begun: false }))))
      switch (ended) {
        case exits.fit:
          return yield* Effect.promise(() => written(target))
        case exits.tooManyPixels:
          return yield* new ImageTooLarge()
        case exits.unreadable:
          return yield* new FileTypeRefused()
        default:
          // If the program fails by itself, for example because the disk is full, the file is not at fault.
          if (typeof ended === "number" && ended !== exits.outOfTime) {
            return yield* Effect.dieMessage(`The examination of an image ended with ${ended}`)
          }
          yield* Effect.logWarning("The examination of an uploaded image was stopped", { type, ended })
          return yield* new NotExamined({ begun: true })
      }
    })

    return { examine }
  })
}) {}
