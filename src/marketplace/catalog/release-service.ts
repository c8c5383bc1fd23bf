import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { Actor } from "../../audit/model.ts"
import { Config } from "../../config.ts"
import { transaction } from "../../db/sql.ts"
import { gatewayPath, type OwnApi } from "./model.ts"
import { type ApiRequest, type PlanRequest, Publishing, type VersionRequest } from "./publishing-service.ts"
import { ReleaseConflict } from "./release-errors.ts"
import { CatalogRepo } from "./repo.ts"

/** A version of an API, and all that has to be there for it. */
export interface Release {
  readonly publisher: { readonly slug: string; readonly name: string }
  readonly api: ApiRequest
  readonly version: VersionRequest
  readonly plans: ReadonlyArray<PlanRequest>
}

/** A part of a release, and whether it had to be made. */
export interface ReleasedPart {
  readonly part: "publisher" | "api" | "version" | "plan" | "publication"
  readonly name: string
  readonly made: boolean
}

export interface Released {
  readonly parts: ReadonlyArray<ReleasedPart>
  /** Fields of the API that say something else than the release, and stay. */
  readonly kept: ReadonlyArray<"name" | "description">
  /** Where the version is called. */
  readonly gatewayUrl: string
}

/** The first field in which what is stored differs from what is asked for. */
const differing = (
  fields: Readonly<Record<string, readonly [stored: unknown, asked: unknown]>>
): string | undefined =>
  Object.entries(fields).find(([, [stored, asked]]) => !Bun.deepEquals(stored, asked))?.[0]

/** APIs as their publishers describe them in a file: what is missing is made, what is there is not made again. */
export class Releases extends Effect.Service<Releases>()("Releases", {
  effect: Effect.gen(function* () {
    const { gatewayUrl } = yield* Config
    const sql = yield* SqlClient.SqlClient
    const catalog = yield* CatalogRepo
    const publishing = yield* Publishing

    const conflict = (problem: string) => new ReleaseConflict({ problem })

    const ensurePublisher = Effect.fnUntraced(function* (by: Actor, { name, slug }: Release["publisher"]) {
      const known = yield* publishing
        .publisher(by.companyId)
        .pipe(Effect.catchTag("PublisherNotFound", () => Effect.succeed(undefined)))
      if (known === undefined) yield* publishing.becomePublisher(by, { slug, name })
      else if (known.slug !== slug) {
        return yield* conflict(
          `The company is the publisher ${known.slug} already; it cannot be ${slug} too.`
        )
      }
      return known === undefined
    })

    const ensureVersion = Effect.fnUntraced(function* (by: Actor, api: OwnApi, request: VersionRequest) {
      const known = api.versions.find(({ version }) => version === request.version)
      if (known === undefined) {
        yield* publishing.addVersion(by, api.id, request)
        return true
      }
      const field = differing({
        upstreamUrl: [known.upstream_url, request.upstreamUrl],
        sandboxUpstreamUrl: [known.sandbox_upstream_url, request.sandboxUpstreamUrl ?? null],
        // A release that does not say takes what there is.
        timeoutSeconds: [known.timeout_seconds, request.timeoutSeconds ?? known.timeout_seconds],
        openapi: [yield* catalog.document(known.id), request.openapi ?? null]
      })
      return field === undefined
        ? false
        : yield* conflict(
            `Version ${request.version} is there with another ${field}, and a version never changes: release it as another one.`
          )
    })

    const ensurePlan = Effect.fnUntraced(function* (by: Actor, api: OwnApi, request: PlanRequest) {
      const known = api.plans.find(({ name }) => name === request.name)
      if (known === undefined) {
        yield* publishing.addPlan(by, api.id, request)
        return true
      }
      const field = differing({
        requestsPerMinute: [known.requests_per_minute, request.requestsPerMinute ?? null],
        requestsPerMonth: [known.requests_per_month, request.requestsPerMonth ?? null]
      })
      return field === undefined
        ? false
        : yield* conflict(
            `The plan ${request.name} is there with other ${field}, and a plan never changes: give this one another name.`
          )
    })

    /**
     * Makes what is missing of the release and publishes its API, all or nothing. Fails with `ReleaseConflict` where something
     * is there that differs and never changes, and as `Publishing` does.
     */
    const release = Effect.fnUntraced(function* (by: Actor, request: Release) {
      const { plans, publisher, version } = request
      const parts: Array<ReleasedPart> = []
      parts.push({ part: "publisher", name: publisher.slug, made: yield* ensurePublisher(by, publisher) })
      const own = (yield* publishing.list(by.companyId)).find(({ slug }) => slug === request.api.slug)
      const api = own ?? { ...(yield* publishing.addApi(by, request.api)), versions: [], plans: [] }
      parts.push({ part: "api", name: api.slug, made: own === undefined })
      parts.push({ part: "version", name: version.version, made: yield* ensureVersion(by, api, version) })
      for (const plan of plans) {
        parts.push({ part: "plan", name: plan.name, made: yield* ensurePlan(by, api, plan) })
      }
      const place = { publisherSlug: publisher.slug, apiSlug: api.slug, version: version.version }
      const isDraft = api.status === "draft"
      if (isDraft) yield* publishing.publish(by, api.id)
      parts.push({ part: "publication", name: gatewayPath(place).slice(1), made: isDraft })
      const { description = api.description, name } = request.api
      return {
        parts,
        kept: (["name", "description"] as const).filter(
          (field) => api[field] !== { name, description }[field]
        ),
        gatewayUrl: gatewayUrl + gatewayPath(place)
      } satisfies Released
    })

    return { release: (by: Actor, request: Release) => transaction(sql)(release(by, request)) }
  })
}) {}
