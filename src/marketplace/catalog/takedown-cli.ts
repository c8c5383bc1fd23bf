import * as Args from "@effect/cli/Args"
import { Effect } from "effect"
import { companyOption, idFrom } from "../../accounts/company-cli.ts"
import { command, group, listing, option } from "../../cli/command.ts"
import { misused, refused } from "../../cli/failures.ts"
import { checked, onDatabase, operatorName } from "../../cli/on-database.ts"
import { oneLine } from "../../cli/output.ts"
import type { OfferedApi } from "./model.ts"

const onApis = onDatabase(() => import("./cli-layer.ts"))

const stateOf = ({ status, taken_down }: OfferedApi) => (taken_down === null ? status : "taken down")

const stateColours = { draft: "dim", published: "green", "taken down": "red" } as const

const list = command(
  "list",
  "List the APIs of all companies, or of one: published, draft, or taken down.",
  { company: companyOption },
  (given) =>
    Effect.map(
      onApis(({ takedowns }) => Effect.flatMap(idFrom(given.company), takedowns.list)),
      (apis) => ({
        value: { apis },
        words: listing(
          apis,
          "There are no APIs.",
          ["COMPANY", "API", "STATE", "SUBSCRIBERS", "NAME", "REASON"],
          (api, paint) => [
            oneLine(api.company.name),
            `${api.publisher_slug}/${api.slug}`,
            paint(stateColours[stateOf(api)], stateOf(api)),
            String(api.subscribers),
            oneLine(api.name),
            oneLine(api.taken_down?.reason ?? "")
          ]
        )
      })
    )
)

const address = Args.text({ name: "address" }).pipe(
  Args.withDescription("The slugs of publisher and API, from api list: acme/weather.")
)

const addressFrom = (text: string) => {
  const [publisherSlug = "", slug = "", ...rest] = text.split("/")
  return publisherSlug === "" || slug === "" || rest.length > 0
    ? Effect.fail(misused(`${oneLine(text)} does not name an API. Write <publisher>/<api>.`))
    : Effect.succeed({ publisherSlug, slug })
}

const noSuchApi = (text: string) => () => Effect.fail(refused(`There is no API ${oneLine(text)}.`))

const unpublish = command(
  "unpublish",
  "Take an API down. Every running doorlock refuses its calls within a second. Its publisher sees why, and cannot publish it again until you allow it.",
  { address, reason: option("reason", "text", "The reason, which the publisher sees.") },
  (given) =>
    Effect.gen(function* () {
      const { TakedownReason } = yield* Effect.promise(() => import("./publishing-requests-api.ts"))
      const place = yield* addressFrom(given.address)
      const reason = yield* checked(TakedownReason, given.reason)
      const changed = yield* onApis(({ takedowns }) =>
        takedowns.takeDown(operatorName(), place, reason)
      ).pipe(Effect.catchTag("ApiNotFound", noSuchApi(given.address)))
      return {
        value: { ok: true, changed },
        words: () => (changed ? "The API is taken down." : "The API was already taken down for this reason.")
      }
    })
)

const allow = command(
  "allow",
  "Allow the publisher to publish an API that you took down. It stays a draft until they do.",
  { address },
  (given) =>
    Effect.gen(function* () {
      const place = yield* addressFrom(given.address)
      const changed = yield* onApis(({ takedowns }) => takedowns.allow(operatorName(), place)).pipe(
        Effect.catchTag("ApiNotFound", noSuchApi(given.address))
      )
      return {
        value: { ok: true, changed },
        words: () => (changed ? "Its publisher can publish the API again." : "The API is not taken down.")
      }
    })
)

export const api = group("api", "Published APIs.", [list, unpublish, allow])
