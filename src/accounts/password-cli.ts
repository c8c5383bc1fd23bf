/** Reads a password for a command. Never from an argument, which every user of the machine can read. */
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { Effect, Redacted } from "effect"
import { flag } from "../cli/command.ts"
import { type CommandFailed, misused } from "../cli/failures.ts"
import { Surroundings } from "../cli/surroundings.ts"
import { randomBase62 } from "../secrets/token.ts"

export const passwordOptions = {
  fromStdin: flag("password-stdin", "Read the password from the first line of standard input."),
  generate: flag("generate-password", "Generate a password and print it once.")
} as const

type Source = Readonly<Record<keyof typeof passwordOptions, boolean>>

export interface GivenPassword {
  readonly password: Redacted.Redacted<string>
  readonly generated: boolean
}

/** 119 bits, from an alphabet of 62 characters. */
const generatedLength = 20

/** Reads the password from where the options say, otherwise asks for it on the terminal. */
export const passwordFrom = ({
  fromStdin,
  generate
}: Source): Effect.Effect<GivenPassword, CommandFailed> => {
  const given = (password: string) => ({ password: Redacted.make(password), generated: false })
  if (fromStdin && generate) {
    return Effect.fail(misused("Use --password-stdin or --generate-password, not both."))
  }
  if (generate) {
    return Effect.sync(() => ({ password: Redacted.make(randomBase62(generatedLength)), generated: true }))
  }
  if (fromStdin) return Effect.map(firstLine, given)
  return Effect.flatMap(Surroundings, ({ stderr, stdin }) =>
    stdin.isTTY && stderr.isTTY
      ? Effect.map(askTwice, given)
      : misused("There is no terminal for the password prompt: use --password-stdin or --generate-password.")
  )
}

const longestInput = 65_536

const firstLine: Effect.Effect<string, CommandFailed> = Effect.gen(function* () {
  const { stdin } = yield* Surroundings
  const text = yield* Effect.promise(async () => {
    let read = ""
    const decoder = new TextDecoder()
    for await (const chunk of stdin.stream()) {
      read += decoder.decode(chunk, { stream: true })
      if (read.includes("\n") || read.length > longestInput) break
    }
    return read
  })
  const [line = ""] = text.split(/\r?\n/, 1)
  return line === "" ? yield* misused("There is no password on standard input.") : line
})

const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() })

type Outcome = Effect.Effect<string, CommandFailed>

/** Echoes nothing, even between prompts, and avoids standard output, which may be redirected. */
const onTerminal = Effect.acquireRelease(
  Effect.sync(() => createInterface({ input: process.stdin, output: silent(), terminal: true })),
  (reader) => Effect.sync(() => reader.close())
).pipe(
  Effect.map((reader) => {
    const lines: Array<Outcome> = []
    let asking: ((outcome: Outcome) => void) | undefined
    const take = (outcome: Outcome) => {
      if (asking !== undefined) process.stderr.write("\n")
      if (asking === undefined) lines.push(outcome)
      else asking(outcome)
      asking = undefined
    }
    reader.on("line", (line) => take(Effect.succeed(line)))
    reader.on("SIGINT", () => take(Effect.interrupt))
    reader.on("close", () => take(Effect.fail(misused("No password was given."))))
    return (question: string): Outcome =>
      Effect.async((resume) => {
        process.stderr.write(question)
        const typedAhead = lines.shift()
        if (typedAhead === undefined) asking = resume
        else resume(typedAhead)
      })
  })
)

const askTwice: Effect.Effect<string, CommandFailed> = Effect.gen(function* () {
  const ask = yield* onTerminal
  const password = yield* ask("Password: ")
  const again = yield* ask("Repeat the password: ")
  return password === again ? password : yield* misused("The two passwords differ.")
}).pipe(Effect.scoped)
