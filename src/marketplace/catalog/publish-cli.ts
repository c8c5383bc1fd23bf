import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Array as Arr, Effect, Option } from "effect"
import { actingFor, companyFrom, companyOption } from "../../accounts/company-cli.ts"
import { command, option } from "../../cli/command.ts"
import { misused, refused } from "../../cli/failures.ts"
import { checked, onDatabase } from "../../cli/on-database.ts"
import { oneLine, type Paint, table, withProgress } from "../../cli/output.ts"
import type { Released } from "./release-service.ts"

const override = (name: string, value: string, description: string) =>
  option(name, value, description).pipe(Options.optional)

const limit = (text: string | undefined): number | null | undefined => {
  if (text === undefined || text === "") return null
  return /^\d+$/.test(text) ? Number(text) : undefined
}

/** `name`, `name:60`, `name::10000` or `name:60:10000`. */
const planFrom = (text: string) =>
  Effect.gen(function* () {
    const [name = "", minute, month, ...rest] = text.split(":")
    const [requestsPerMinute, requestsPerMonth] = [limit(minute), limit(month)]
    return requestsPerMinute === undefined || requestsPerMonth === undefined || rest.length > 0
      ? yield* misused(`${oneLine(text)} is not a plan. Write name:requests per minute:requests per month.`)
      : { name, requestsPerMinute, requestsPerMonth }
  })

const called = {
  publisher: "publisher",
  api: "API",
  version: "version",
  plan: "plan",
  publication: "published"
}

const words =
  ({ gatewayUrl, parts }: Released) =>
  (paint: Paint) =>
    [
      table(
        parts.map(({ name, outcome, part }) => [
          paint("dim", called[part]),
          oneLine(name),
          outcome === "unchanged" ? outcome : paint("green", outcome)
        ])
      ),
      `Call it at ${gatewayUrl}/...`
    ].join("\n")

/** `publish`: publishes an API from a file. It is safe to repeat. */
export const publish = command(
  "publish",
  "Publish an API from a manifest, or from an OpenAPI document and options. Existing versions and plans are not changed.",
  {
    file: Args.text({ name: "file" }).pipe(
      Args.withDescription("A manifest or an OpenAPI document, JSON or YAML; - is standard input.")
    ),
    company: companyOption,
    given: {
      publisher: {
        slug: override("publisher", "slug", "The publisher's slug: the first part of the API's address."),
        name: override("publisher-name", "text", "The publisher's name. Default: the company's name.")
      },
      api: {
        slug: override("api", "slug", "The second part of the API's address."),
        name: override("name", "text", "The API's name. Default: the document's title.")
      },
      version: override("api-version", "text", "The version's name. Default: the document's version."),
      upstreamUrl: override("upstream", "url", "Where calls go: the version's base URL."),
      sandboxUpstreamUrl: override("sandbox-upstream", "url", "Where calls with test keys go.")
    },
    plans: Options.repeated(
      option(
        "plan",
        "name[:minute[:month]]",
        "A plan with its limits, such as Free:60:10000; may be given again."
      )
    )
  },
  ({ company: named, file, given, plans: planTexts }) =>
    Effect.gen(function* () {
      const { readManifest } = yield* Effect.promise(() => import("./manifest-cli.ts"))
      const { BecomePublisher } = yield* Effect.promise(() => import("./publishing-requests-api.ts"))
      const plans = yield* Effect.forEach(planTexts, planFrom)
      const manifest = yield* readManifest(file, {
        ...given,
        plans: Option.liftPredicate(plans, Arr.isNonEmptyArray)
      })
      const { api, company, plans: asked, publisher, ...version } = manifest
      const released = yield* onDatabase(() => import("./cli-layer.ts"))(({ releases }) =>
        Effect.gen(function* () {
          const publishing = yield* companyFrom(named ?? company)
          const name = publisher.name ?? publishing.name
          return yield* releases.release(actingFor(publishing), {
            publisher: yield* checked(BecomePublisher, { slug: publisher.slug, name }),
            api,
            version,
            plans: asked
          })
        })
      ).pipe(
        withProgress("Publishing"),
        Effect.catchTag("ReleaseConflict", ({ problem }) => Effect.fail(refused(problem)))
      )
      return { value: released, words: words(released) }
    })
)
