/** The text of `--help`. The parser's own help repeats itself and does not fit a screen. */
import { stripVTControlCharacters } from "node:util"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"
import * as Usage from "@effect/cli/Usage"
import { type AnyCommand, nameOf, subcommandsOf } from "./command.ts"
import { type Paint, table } from "./output.ts"

const config = CliConfig.make({ showBuiltIns: false })

/** Text that is the same for every option of a type, or that repeats the usage line. */
const isCommonplace = (text: string): boolean =>
  /^(?:A user-defined piece of text|A true or false value|This (?:setting|option) .*|One of the following: .*)\.?$/.test(
    text
  )

const textOf = (span: Span.Span): string =>
  stripVTControlCharacters(HelpDoc.toAnsiText(HelpDoc.p(span))).trim()

const paragraphs = (doc: HelpDoc.HelpDoc): ReadonlyArray<string> => {
  switch (doc._tag) {
    case "Sequence":
      return [...paragraphs(doc.left), ...paragraphs(doc.right)]
    case "Paragraph":
      return [textOf(doc.value)].filter((text) => !isCommonplace(text))
    default:
      return []
  }
}

const entries = (doc: HelpDoc.HelpDoc): ReadonlyArray<readonly [string, string]> => {
  switch (doc._tag) {
    case "Sequence":
      return [...entries(doc.left), ...entries(doc.right)]
    case "DescriptionList":
      return doc.definitions.map(([term, about]) => [textOf(term), paragraphs(about).join(" ")])
    default:
      return []
  }
}

const lines = (paint: Paint, rows: ReadonlyArray<readonly [string, string]>): string =>
  table(rows.map(([term, about]) => [`  ${paint("bold", term)}`, about]))

const everywhere = (paint: Paint) => `Options of every command:
${lines(paint, [
  ["--json", "Print one JSON value, even on failure."],
  ["--log-level level", "Log from this level on, such as info or debug."],
  ["--help, --version", ""]
])}

Exit codes: 0 done, 1 refused or found wrong, 2 wrong usage or value, 3 wrong configuration, 4 the database or
another service is not available, 70 an internal error, 130 interrupted.

The service's environment variables configure the commands, too. For completions in a shell, define
alias doorlock="bun cli" and load what doorlock --completions bash prints (or sh, fish, zsh).`

/** All commands below a command, by the words that call them. */
const overview = (
  paint: Paint,
  command: AnyCommand,
  path: string
): ReadonlyArray<readonly [string, string]> =>
  subcommandsOf(command).flatMap((child) => {
    const name = `${path} ${nameOf(child)}`.trim()
    const [about = ""] = paragraphs(Command.getHelp(child, config))
    return subcommandsOf(child).length > 0 ? overview(paint, child, name) : [[name, about] as const]
  })

/** The help of the command that `words` call, or of the last one on the path that exists. */
export const help = (root: AnyCommand, words: ReadonlyArray<string>, paint: Paint): string => {
  let command = root
  let path = nameOf(root)
  for (const word of words) {
    const child = subcommandsOf(command).find((candidate) => nameOf(candidate) === word)
    if (child === undefined) break
    command = child
    path = `${path} ${word}`
  }
  const doc = Command.getHelp(command, config)
  const [about = ""] = paragraphs(doc)
  if (subcommandsOf(command).length > 0) {
    const below = lines(paint, overview(paint, command, path.slice(nameOf(root).length + 1)))
    return `${about}\n\nUsage: ${paint("bold", nameOf(root))} <command>, one of\n${below}\n\n${everywhere(paint)}`
  }
  const [called = ""] = paragraphs(Usage.getHelp(Command.getUsage(command)))
  // An option that may be repeated may also be omitted, which the parser does not say.
  const usage = path.slice(0, -nameOf(command).length) + called.replaceAll(/(--\S+ \S+)\.\.\./g, "[$1]...")
  return `${about}\n\nUsage: ${paint("bold", usage)}\n\n${lines(paint, entries(doc))}`
}
