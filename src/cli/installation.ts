/** The installation that a command calls over HTTP, and its platform key. */
import { Effect } from "effect"
import { isWellFormed } from "../secrets/token.ts"
import { hasCode, messageOf } from "../shared/error.ts"
import { CommandFailed, exitCodes, misused } from "./failures.ts"
import { oneLine } from "./output.ts"
import { Surroundings } from "./surroundings.ts"

export interface Installation {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: string
}

/**
 * The address in its canonical form. Fails with `CommandFailed`.
 *
 * @param name of the option or variable that has it
 */
export const address = (name: string, text: string) => {
  const parsed = URL.parse(text)
  return parsed !== null && ["http:", "https:"].includes(parsed.protocol)
    ? Effect.succeed(parsed.href)
    : misused(`${name} must be an http or https URL.`)
}

/**
 * The installation at an address, with the key in DOORLOCK_API_KEY. Fails with `CommandFailed`.
 *
 * @param name of the option or variable that has the address
 * @param key the scopes that the key needs, and a name for it
 */
export const installationAt = Effect.fnUntraced(function* (
  name: string,
  text: string,
  key: { readonly name: string; readonly scopes: ReadonlyArray<string> }
) {
  const url = yield* address(name, text)
  const { DOORLOCK_API_KEY: token = "" } = (yield* Surroundings).environment
  if (!isWellFormed("dlk_", token)) {
    const { scopes } = key
    const message =
      token === ""
        ? `DOORLOCK_API_KEY is not set. Create a platform API key with the ${scopes.length === 1 ? "scope" : "scopes"} ${scopes.join(", ")} in the dashboard, or, beside the database, with: bun cli key create --name ${key.name} ${scopes.map((scope) => `--scope ${scope}`).join(" ")}`
        : "DOORLOCK_API_KEY is not a platform API key: it does not begin with dlk_, or was not copied whole."
    return yield* new CommandFailed({ exitCode: exitCodes.configuration, message })
  }
  return { url: url.replace(/\/+$/, ""), key: token } satisfies Installation
})

const inWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  ENOTFOUND: "the name has no address"
}

/** Why a request got no answer, as one line. */
export const reasonOf = (error: unknown): string =>
  Object.entries(inWords).find(([code]) => hasCode(error, code))?.[1] ?? oneLine(messageOf(error))
