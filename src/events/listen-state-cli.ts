/** What `listen` remembers between two runs: one file for each installation, key, filter and address. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Either, Schema } from "effect"
import { refused } from "../cli/failures.ts"
import { oneLine } from "../cli/output.ts"
import { sha256 } from "../secrets/digest.ts"
import { hasCode, messageOf } from "../shared/error.ts"

const ListenState = Schema.parseJson(
  Schema.Struct({
    secret: Schema.String,
    /** All events up to here have been forwarded. */
    cursor: Schema.String,
    /** And of those that follow, all up to this one. */
    last: Schema.optional(Schema.String)
  })
)
export type ListenState = typeof ListenState.Type

type Environment = Readonly<Record<string, string | undefined>>

/** @param names what the state belongs to; one of them is a key, so the name of the file is a hash */
export const listenStateFile = ({ HOME, XDG_STATE_HOME }: Environment, names: ReadonlyArray<string>) => {
  const folder = join(XDG_STATE_HOME || join(HOME || homedir(), ".local", "state"), "doorlock")
  return join(folder, `listen-${sha256(names.join("\n")).toHex().slice(0, 16)}.json`)
}

const failing = (what: string, file: string) => (error: unknown) =>
  refused(`${file} cannot be ${what}: ${oneLine(messageOf(error))}.`)

/** Undefined if there is none, or an older program wrote it. */
export const readListenState = (file: string) =>
  Effect.tryPromise({
    try: async () => {
      try {
        return Either.getOrUndefined(Schema.decodeEither(ListenState)(await readFile(file, "utf8")))
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined
        throw error
      }
    },
    catch: failing("read", file)
  })

/** Replaces the file as a whole, so that a crash leaves the old or the new state. Only the user may read it. */
export const writeListenState = (file: string, state: ListenState) =>
  Effect.tryPromise({
    try: async () => {
      const draft = `${file}.${process.pid}`
      await mkdir(join(file, ".."), { recursive: true, mode: 0o700 })
      await writeFile(draft, Schema.encodeSync(ListenState)(state), { mode: 0o600 })
      await rename(draft, file)
    },
    catch: failing("written", file)
  })
