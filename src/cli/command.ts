/** The form that all commands have. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { Answered, misused } from "./failures.ts"
import { jsonText, oneLine, type Paint, Reader, table, writeAnswer } from "./output.ts"

/** What a command answers when it has done its work: a value, or a text that is the same for all. */
export type Answer =
  | {
      /** What `--json` prints. */
      readonly value: unknown
      /** The same for people: lines, without the end of the last one. */
      readonly words: (paint: Paint) => string
      /** Default: done. */
      readonly exitCode?: number
    }
  | { readonly text: string }

const flags = new Set(["--help", "-h", "--version", "--wizard"])

/** The parser's own, which it wants before those of a command. */
const builtIn = /^--(?:log-level|completions|version)(?:=|$)/

/** An option that stands by itself: the word after it is not its value. */
export const flag = (name: string, description: string): Options.Options<boolean> => {
  flags.add(`--${name}`)
  return Options.boolean(name).pipe(Options.withDescription(description))
}

export const option = (name: string, value: string, description: string): Options.Options<string> =>
  Options.text(name).pipe(Options.withPseudoName(value), Options.withDescription(description))

const json = flag("json", "Answer with one JSON value, also when it fails.")

const written = (answer: Answer) =>
  Effect.map(Reader, ({ json, paint }) => {
    if ("text" in answer) return answer.text
    return json ? jsonText(answer.value) : `${answer.words(paint)}\n`
  })

/** A command and what it does. */
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

/** A command that needs nothing of whoever runs it but to know who reads its answer. */
export type WholeCommand = AnyCommand & {
  readonly handler: (given: never) => Effect.Effect<void, unknown, Reader>
}

const subcommands = new WeakMap<AnyCommand, Subcommands>()
const groups = new Set<string>()

/** The commands that begin with this one's word. */
export const subcommandsOf = (command: AnyCommand): ReadonlyArray<AnyCommand> =>
  subcommands.get(command) ?? []

export const nameOf = (command: AnyCommand): string => [...Command.getNames(command)][0] ?? ""

/** What is wrong with the command that arranged words call: undefined when there is one of that name. */
export const unknownCommand = (root: AnyCommand, words: ReadonlyArray<string>): string | undefined => {
  let command = root
  for (const [index, word] of words.entries()) {
    const children = subcommandsOf(command)
    const child = children.find((candidate) => nameOf(candidate) === word)
    if (child === undefined) {
      return children.length === 0 || word.startsWith("-")
        ? undefined
        : `There is no command ${words.slice(0, index + 1).join(" ")}; there is ${children.map((known) => [...words.slice(0, index), nameOf(known)].join(" ")).join(", ")}.`
    }
    command = child
  }
  return undefined
}

/** The word that several commands begin with; it does nothing by itself. */
export const group = <const Name extends string, const Children extends Subcommands>(
  name: Name,
  description: string,
  children: Children
) => {
  groups.add(name)
  const made = Command.make(name, {}, () =>
    Effect.fail(misused(`The command ${name} needs another word.`))
  ).pipe(Command.withDescription(description), Command.withSubcommands(children))
  subcommands.set(made, children)
  return made
}

/** Names and values, one to a line. */
export const fields = (values: Readonly<Record<string, string>>) => (paint: Paint) =>
  table(Object.entries(values).map(([name, value]) => [paint("dim", name), oneLine(value)]))

/** Things under the heads of their columns, one to a line; a sentence where there are none. */
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
  /** As it was typed: `--name`, or `--name=value`. */
  readonly word: string
  /** The word after it, where that is its value. */
  readonly value: string | undefined
}

/** The words of a command line by what they are. What comes after `--` are operands, which `end` holds with the `--`. */
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

/**
 * The words of a command line in the order in which the parser takes them: options and operands may stand anywhere, it wants
 * command, options, operands.
 */
export const arrange = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { end, operands, options } = parted(words)
  const path = operands.splice(0, groups.has(operands[0] ?? "") ? 2 : 1)
  const typed = (some: ReadonlyArray<TypedOption>) =>
    some.flatMap(({ value, word }) => (value === undefined ? [word] : [word, value]))
  const [others, first] = Arr.partition(options, ({ word }) => builtIn.test(word))
  return [...path, ...typed(first), ...typed(others), ...operands, ...end]
}

/**
 * The name of the first option whose value is empty. The parser drops an empty value of an option that may be given again, as if
 * the option had not been given: `--scope "$SCOPE"` with an unset variable would make a key that may do everything.
 */
export const emptyOption = (words: ReadonlyArray<string>): string | undefined =>
  parted(words)
    .options.find(({ value, word }) => value === "" || /^[^=]+=$/.test(word))
    ?.word.replace(/=$/, "")

/** Whether an option stands in a command line; that has to be known also where the line is refused. */
export const has = (words: ReadonlyArray<string>, option: string): boolean =>
  words.slice(0, words.includes("--") ? words.indexOf("--") : undefined).includes(option)
