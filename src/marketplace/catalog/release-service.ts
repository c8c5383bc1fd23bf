import { Data, Effect, Option } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Config } from "../../config.ts"
import { ApiTakenDown } from "./errors.ts"
import { gatewayPath } from "./exported-names.ts"
import type { ApiPlan, OwnApi } from "./model.ts"
import type { ApiRequest, PlanRequest, VersionRequest } from "./publishing-model.ts"
import { Publishing } from "./publishing-service.ts"
import { CatalogRepo } from "./repo.ts"

/** Part of the release exists already with different content, and can never change. */
class ReleaseConflict extends Data.TaggedError("ReleaseConflict")<{
  readonly problem: string
}> {}

/** A version of an API, and everything that must exist for it. */
interface Release {
  readonly publisher: { readonly slug: string; readonly name: string }
  readonly api: ApiRequest
  readonly version: VersionRequest
  readonly plans: ReadonlyArray<PlanRequest>
}

/** A part of a release, and what was done for it. */
interface ReleasedPart {
  readonly part: "publisher" | "api" | "version" | "plan" | "publication"
  readonly name: string
  readonly outcome: "made" | "changed" | "unchanged"
}

export interface Released {
  readonly parts: ReadonlyArray<ReleasedPart>
  readonly gatewayUrl: string
}

/** Fails if a field's stored value is not the requested one. */
const agree = (
  fields: Readonly<Record<string, readonly [stored: unknown, asked: unknown]>>,
  problemOf: (field: string) => string
) => {
  const differing = Object.entries(fields).find(([, [stored, asked]]) => !Bun.deepEquals(stored, asked))
  return differing === undefined
    ? Effect.void
    : Effect.fail(new ReleaseConflict({ problem: problemOf(differing[0]) }))
}

const agreeOnPlan = (stored: ApiPlan, asked: PlanRequest) =>
  agree(
    {
      requestsPerMinute: [stored.requests_per_minute, asked.requestsPerMinute ?? null],
      requestsPerMonth: [stored.requests_per_month, asked.requestsPerMonth ?? null]
    },
    (field) =>
      `The plan ${asked.name} already exists with a different ${field}. A plan never changes: give this one another name.`
  )

/** Publishes APIs as described in a file: creates what is missing, and leaves alone what exists. */
export class Releases extends Effect.Service<Releases>()("Releases", {
  effect: Effect.gen(function* () {
    const { gatewayUrl } = yield* Config
    const catalog = yield* CatalogRepo
    const publishing = yield* Publishing

    const agreeOnVersion = (stored: OwnApi["versions"][number], asked: VersionRequest) =>
      Effect.flatMap(catalog.document(stored.id), (openapi) =>
        agree(
          {
            upstreamUrl: [stored.upstream_url, asked.upstreamUrl],
            sandboxUpstreamUrl: [stored.sandbox_upstream_url, asked.sandboxUpstreamUrl ?? null],
            // A release without this field accepts the stored value.
            timeoutSeconds: [stored.timeout_seconds, asked.timeoutSeconds ?? stored.timeout_seconds],
            openapi: [JSON.parse(openapi ?? "null"), JSON.parse(asked.openapi ?? "null")]
          },
          (field) =>
            `Version ${asked.version} already exists with a different ${field}. A version never changes: release this one under another name.`
        )
      )

    /**
     * Creates what is missing, updates the API's name and description, and publishes it. Fails with
     * `ReleaseConflict` if a part exists with other content, with `ApiTakenDown`, and as `Publishing` does.
     * Foreseeable failures come before any write; after another one, the next release continues with the
     * draft.
     */
    const release = Effect.fnUntraced(function* (by: Actor, request: Release) {
      const { plans, publisher, version } = request
      const publishes = Option.getOrUndefined(yield* Effect.option(publishing.publisher(by.companyId)))
      if (publishes !== undefined && publishes.slug !== publisher.slug) {
        const problem = `The company is already the publisher ${publishes.slug}; it cannot also be ${publisher.slug}.`
        return yield* new ReleaseConflict({ problem })
      }
      const own = publishes === undefined ? [] : yield* publishing.list(by.companyId)
      const stored = own.find(({ slug }) => slug === request.api.slug)
      if (stored !== undefined && stored.taken_down !== null) return yield* new ApiTakenDown()
      const storedVersion = stored?.versions.find((known) => known.version === version.version)
      if (storedVersion !== undefined) yield* agreeOnVersion(storedVersion, version)
      const place = { publisherSlug: publisher.slug, apiSlug: request.api.slug }
      const sections =
        storedVersion === undefined ? yield* publishing.checkVersion(by.companyId, place, version) : null
      const storedPlan = ({ name }: PlanRequest) => stored?.plans.find((known) => known.name === name)
      for (const plan of plans) {
        const known = storedPlan(plan)
        if (known !== undefined) yield* agreeOnPlan(known, plan)
      }

      if (publishes === undefined) yield* publishing.becomePublisher(by, publisher)
      const api = stored ?? (yield* publishing.addApi(by, request.api))
      const { description = api.description, name } = request.api
      const isRenamed = api.name !== name || api.description !== description
      if (isRenamed) yield* publishing.changeApi(by, api.id, { name, description })
      if (storedVersion === undefined) yield* publishing.addChecked(by, api.id, version, sections)
      const newPlans = plans.filter((plan) => storedPlan(plan) === undefined)
      for (const plan of newPlans) yield* publishing.addPlan(by, api.id, plan)
      const isDraft = api.status === "draft"
      if (isDraft) yield* publishing.publish(by, api.id)

      const path = gatewayPath({ ...place, version: version.version })
      const outcome = (made: boolean) => (made ? ("made" as const) : ("unchanged" as const))
      return {
        parts: [
          { part: "publisher", name: publisher.slug, outcome: outcome(publishes === undefined) },
          { part: "api", name: api.slug, outcome: isRenamed ? "changed" : outcome(stored === undefined) },
          { part: "version", name: version.version, outcome: outcome(storedVersion === undefined) },
          ...plans.map((plan) => ({
            part: "plan" as const,
            name: plan.name,
            outcome: outcome(newPlans.includes(plan))
          })),
          { part: "publication", name: path.slice(1), outcome: outcome(isDraft) }
        ],
        gatewayUrl: gatewayUrl + path
      } satisfies Released
    })

    return { release }
  })
}) {}
