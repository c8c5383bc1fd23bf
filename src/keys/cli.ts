import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { actingFor, companyFrom, companyOption } from "../accounts/company-cli.ts"
import { command, fields, group, listing, option } from "../cli/command.ts"
import { checked, onDatabase } from "../cli/on-database.ts"
import { oneLine, writeAside } from "../cli/output.ts"
import { ok } from "../shared/schemas.ts"
import type { ApiKey } from "./model.ts"
import { keyWarnings, knownScopes, namedScopes, scopeWarning, warningsOf } from "./scopes-model.ts"

const onKeys = onDatabase(() => import("./cli-layer.ts"))

const create = command(
  "create",
  "Create a platform API key. Its token is shown only once.",
  {
    name: option("name", "text", "The key's name."),
    company: companyOption,
    scopes: Options.repeated(
      option(
        "scope",
        "scope",
        `What the key may do: ${Object.keys(knownScopes).join(", ")}, or what these begin with, such as kyc:sessions; may be given again. Default: *, which does not contain ${[...namedScopes].join(", ")}.`
      )
    ),
    expiresAt: Options.optional(
      option("expires-at", "date", "When the key expires, an ISO 8601 date. Default: never.")
    )
  },
  (given) =>
    Effect.gen(function* () {
      const { CreateApiKey } = yield* Effect.promise(() => import("./api.ts"))
      const request = yield* checked(CreateApiKey, {
        name: given.name,
        scopes: given.scopes.length === 0 ? null : given.scopes,
        expiresAt: Option.getOrNull(given.expiresAt)
      })
      const warning = scopeWarning(given.scopes.length === 0 ? ["*"] : given.scopes)
      if (warning !== undefined) yield* writeAside(`doorlock: ${oneLine(warning)}\n`)
      const made = yield* onKeys((keys) =>
        Effect.flatMap(companyFrom(given.company), (company) => keys.create(actingFor(company), request))
      )
      const { apiKey, token } = made
      for (const code of warningsOf(given.scopes.length === 0 ? undefined : given.scopes, apiKey)) {
        // Unknown scopes have been named already.
        if (code !== "unknown-scope") yield* writeAside(`doorlock: ${keyWarnings[code]}\n`)
      }
      return {
        value: made,
        words: fields({
          key: apiKey.name,
          scopes: apiKey.scopes.join(" "),
          expires: apiKey.expiresAt === null ? "never" : apiKey.expiresAt.toISOString(),
          id: apiKey.id,
          "token, shown this once": token
        })
      }
    })
)

const stateOf = ({ activeNow, revoked_at }: ApiKey) =>
  revoked_at === null ? (activeNow ? "active" : "expired") : "revoked"

const stateColours = { active: "green", expired: "yellow", revoked: "dim" } as const

const listed = (apiKeys: ReadonlyArray<ApiKey>) =>
  listing(
    apiKeys,
    "The company has no keys.",
    ["NAME", "TOKEN", "STATE", "SCOPES", "LAST USED", "ID"],
    (key, paint) => [
      oneLine(key.name),
      `${key.token_prefix}...`,
      paint(stateColours[stateOf(key)], stateOf(key)),
      oneLine(key.scopes.join(" ")),
      key.last_used_at === null ? "never" : key.last_used_at.toISOString(),
      key.id
    ]
  )

const list = command(
  "list",
  "List the platform API keys of a company, newest first.",
  { company: companyOption },
  (given) =>
    Effect.map(
      onKeys((keys) => Effect.flatMap(companyFrom(given.company), ({ id }) => keys.list(id))),
      (apiKeys) => ({ value: { apiKeys }, words: listed(apiKeys) })
    )
)

const revoke = command(
  "revoke",
  "Revoke a platform API key permanently. Every running doorlock refuses it within a second.",
  {
    id: Args.text({ name: "id" }).pipe(Args.withDescription("The key's id, from key list.")),
    company: companyOption
  },
  (given) =>
    Effect.as(
      onKeys((keys) =>
        Effect.flatMap(companyFrom(given.company), (company) => keys.revoke(actingFor(company), given.id))
      ),
      { value: ok, words: () => "The key is revoked." }
    )
)

export const keys = {
  commands: [group("key", "Platform API keys.", [create, list, revoke])]
}
