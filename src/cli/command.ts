import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect } from "effect"
import * as Arr from "effect/Array"
import { Answered, misused } from "./failures.ts"
import { jsonText, OutputFormat, oneLine, type Paint, table, writeAnswer } from "./output.ts"

/** A value, or text that is the same with and without `--json`. */
export type Answer =
  | {
      /** What `--json` prints. */
      readonly value: unknown
      /** The value for people, without a trailing line break. */
      readonly words: (paint: Paint) => string
      /** Default: 0. */
      readonly exitCode?: number
    }
  | { readonly text: string }

const flags = new Set(["--help", "-h", "--version", "--wizard"])

/** The parser's own options, which it expects before the command's. */
const builtIn = /^--(?:log-level|completions|version)(?:=|$)/

/** An option that takes no value. */
export const flag = (name: string, description: string): Options.Options<boolean> => {
  flags.add(`--${name}`)
  return Options.boolean(name).pipe(Options.withDescription(description))
}

export const option = (name: string, value: string, description: string): Options.Options<string> =>
  Options.text(name).pipe(Options.withPseudoName(value), Options.withDescription(description))

const json = flag("json", "Print one JSON value, even on failure.")

const written = (answer: Answer) =>
  Effect.map(OutputFormat, ({ json, paint }) => {
    if ("text" in answer) return answer.text
    return json ? jsonText(answer.value) : `${answer.words(paint)}\n`
  })

export const command = <const Name extends string, const Config extends Command.Command.Config, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (given: Command.Command.ParseConfig<{ given: Config }>["given"]) => Effect.Effect<Answer, E, R>
) =>
  Command.make(name, { given: config, json }, ({ given }) =>
    Effect.gen(function* () {
      const answer = yield* run(given)
      yield* writeAnswer(yield* written(answer))
      if ("exitCode" in answer) yield* new Answered({ exitCode: answer.exitCode })
    })
  ).pipe(Command.withDescription(description))

type Subcommands = Parameters<typeof Command.withSubcommands>[1]
export type AnyCommand = Subcommands[number]

/** A command that requires only its `OutputFormat`. */
export type WholeCommand = AnyCommand & {
  readonly handler: (given: never) => Effect.Effect<void, unknown, OutputFormat>
}

const subcommands = new WeakMap<AnyCommand, Subcommands>()
const groups = new Set<string>()

export const subcommandsOf = (command: AnyCommand): ReadonlyArray<AnyCommand> =>
  subcommands.get(command) ?? []

export const nameOf = (command: AnyCommand): string => [...Command.getNames(command)][0] ?? ""

/** The error for an arranged command line with an unknown command; undefined if the command exists. */
export const unknownCommand = (root: AnyCommand, words: ReadonlyArray<string>): string | undefined => {
  let command = root
  for (const [index, word] of words.entries()) {
    const children = subcommandsOf(command)
    const child = children.find((candidate) => nameOf(candidate) === word)
    if (child === undefined) {
      return children.length === 0 || word.startsWith("-")
        ? undefined
        : `There is no command ${words.slice(0, index + 1).join(" ")}; available: ${children.map((known) => [...words.slice(0, index), nameOf(known)].join(" ")).join(", ")}.`
    }
    command = child
  }
  return undefined
}

/** A command that consists of subcommands. */
export const group = <const Name extends string, const Children extends Subcommands>(
  name: Name,
  description: string,
  children: Children
) => {
  groups.add(name)
  const made = Command.make(name, {}, () =>
    Effect.fail(misused(`The command ${name} needs a subcommand.`))
  ).pipe(Command.withDescription(description), Command.withSubcommands(children))
  subcommands.set(made, children)
  return made
}

export const fields = (values: Readonly<Record<string, string>>) => (paint: Paint) =>
  table(Object.entries(values).map(([name, value]) => [paint("dim", name), oneLine(value)]))

/** A table with column headings; the sentence `none` if there are no rows. */
export const listing =
  <A>(
    things: ReadonlyArray<A>,
    none: string,
    heads: ReadonlyArray<string>,
    cells: (thing: A, paint: Paint) => ReadonlyArray<string>
  ) =>
  (paint: Paint) =>
    things.length === 0
      ? none
      : table([heads.map((head) => paint("bold", head)), ...things.map((thing) => cells(thing, paint))])

interface TypedOption {
  /** As typed: `--name`, or `--name=value`. */
  readonly word: string
  /** The next word, if it is the option's value. */
  readonly value: string | undefined
}

/** `end` holds `--` and all words after it, which are operands. */
const parted = (words: ReadonlyArray<string>) => {
  const dashes = words.indexOf("--")
  const before = dashes === -1 ? words : words.slice(0, dashes)
  const options: Array<TypedOption> = []
  const operands: Array<string> = []
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? ""
    if (!word.startsWith("-") || word === "-") operands.push(word)
    else {
      const takesValue = !word.includes("=") && !flags.has(word)
      options.push({ word, value: takesValue ? before[++index] : undefined })
    }
  }
  return { options, operands, end: dashes === -1 ? [] : words.slice(dashes) }
}

/** Orders the words as the parser expects: command, options, operands. */
export const arrange = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { end, operands, options } = parted(words)
  const path = operands.splice(0, groups.has(operands[0] ?? "") ? 2 : 1)
  const typed = (some: ReadonlyArray<TypedOption>) =>
    some.flatMap(({ value, word }) => (value === undefined ? [word] : [word, value]))
  const [others, first] = Arr.partition(options, ({ word }) => builtIn.test(word))
  return [...path, ...typed(first), ...typed(others), ...operands, ...end]
}

/**
 * The first option with an empty value. The parser drops an empty value of a repeatable option: with an
 * unset variable, `--scope "$SCOPE"` would create a key with every permission.
 */
export const emptyOption = (words: ReadonlyArray<string>): string | undefined =>
  parted(words)
    .options.find(({ value, word }) => value === "" || /^[^=]+=$/.test(word))
    ?.word.replace(/=$/, "")

/** Also works if the parser rejects the command line. */
export const hasOption = (words: ReadonlyArray<string>, option: string): boolean =>
  words.slice(0, words.includes("--") ? words.indexOf("--") : undefined).includes(option)
