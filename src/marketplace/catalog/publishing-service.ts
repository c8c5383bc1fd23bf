import { Effect, Option } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { foundOr, idOr } from "../../found.ts"
import type { TooManyRequests } from "../../limits/errors.ts"
import { newId } from "../../secrets/identifier.ts"
import { ApiDescriptions } from "./descriptions.ts"
import { entries } from "./entries-model.ts"
import {
  type AlreadyAPublisher,
  ApiNotFound,
  ApiTakenDown,
  type DescriptionRefused,
  type NotAPublisher,
  type PlanNameTaken,
  PublisherNotFound,
  SlugReserved,
  type SlugTaken,
  type SlugTooSimilar,
  type TooManyApis,
  type TooManyPlans,
  type TooManyVersions,
  UpstreamRefused,
  type VersionExists
} from "./errors.ts"
import type { StoredFragment } from "./fragment-model.ts"
import { ApiLists } from "./lists.ts"
import type { ApiPlan, ApiVersion, NewApi, OwnApi, Publisher } from "./model.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import type { ApiChange, ApiRequest, PlanRequest, VersionRequest } from "./publishing-model.ts"
import { PublishingRepo } from "./publishing-repo.ts"
import { reservedSlugs } from "./slugs-model.ts"
import { Upstreams } from "./upstreams.ts"

/** A version's document as JSON, and its part in the description of published APIs; null if it has none. */
interface CheckedVersion {
  readonly openapi: string | null
  readonly fragment: StoredFragment | null
}

/** Default timeout in seconds until the upstream's headers. */
const defaultTimeout = 30

/**
 * A company's publishing (contract.md#publishing). Another publisher's API counts as not found, even if it is published. Versions and plans
 * are only ever added, so subscribers can rely on existing ones.
 */
export class Publishing extends Effect.Service<Publishing>()("Publishing", {
  effect: Effect.gen(function* () {
    const repo = yield* PublishingRepo
    const audit = yield* Audit
    const documents = yield* OpenApiDocuments
    const descriptions = yield* ApiDescriptions
    const upstreams = yield* Upstreams
    const { publisherSlugs, quotas } = yield* Config
    const lists = yield* ApiLists

    /** Removes the API from this process's caches. */
    const forget = (id: string) => Effect.zipRight(lists.forget, descriptions.forget(id))

    const isReserved = reservedSlugs(publisherSlugs)

    const becomePublisher = (
      by: Actor,
      request: { readonly slug: string; readonly name: string }
    ): Effect.Effect<Publisher, SlugReserved | SlugTaken | SlugTooSimilar | AlreadyAPublisher> =>
      isReserved(request.slug)
        ? Effect.fail(new SlugReserved())
        : repo
            .insertPublisher(
              { id: newId(), companyId: by.companyId, ...request },
              publisherSlugs.allowed.includes(request.slug)
            )
            .pipe(audit.recording(by, (made) => [entries.publisher(made)]))

    const publisher = (companyId: string): Effect.Effect<Publisher, PublisherNotFound> =>
      repo.findPublisher(companyId).pipe(foundOr(() => new PublisherNotFound()))

    /** The company's own APIs, including drafts, newest first. */
    const list = Effect.fnUntraced(function* (companyId: string) {
      const own = yield* repo.listOwn(companyId)
      if (own.length === 0 && Option.isNone(yield* repo.findPublisher(companyId))) {
        return yield* new PublisherNotFound()
      }
      return own
    }) satisfies (companyId: string) => Effect.Effect<ReadonlyArray<OwnApi>, PublisherNotFound>

    /** Creates a draft: nobody else sees it, and the gateway does not serve it. */
    const addApi = Effect.fnUntraced(function* (by: Actor, request: ApiRequest) {
      const { description = "", name, slug } = request
      const id = newId()
      const publisher_slug = yield* repo
        .insertApi({ id, companyId: by.companyId, slug, name, description }, quotas.apis)
        .pipe(audit.recording(by, () => [entries.api({ id, slug, name })]))
      return {
        id,
        publisher_slug,
        slug,
        name,
        description,
        status: "draft",
        versions: [],
        plans: []
      } as const
    }) satisfies (
      by: Actor,
      request: ApiRequest
    ) => Effect.Effect<NewApi, NotAPublisher | SlugTaken | TooManyApis>

    const apiId = (id: string) => idOr(id, () => new ApiNotFound())

    /** Omitted fields stay unchanged. */
    const changeApi = (by: Actor, id: string, change: ApiChange): Effect.Effect<OwnApi, ApiNotFound> =>
      Effect.flatMap(apiId(id), (known) =>
        repo.changeApi(by.companyId, known, change).pipe(
          audit.recording(by, entries.changed),
          Effect.map(({ api }) => api),
          Effect.zipLeft(forget(known))
        )
      )

    const checkUpstream = Effect.fnUntraced(function* (field: UpstreamRefused["field"], url: string) {
      const objection = yield* upstreams.objection(new URL(url))
      if (objection !== undefined) return yield* new UpstreamRefused({ field, objection })
    })

    /**
     * Validates a version's addresses and document, the cheap checks first. Returns the document in stored form, and its part in the
     * description.
     */
    const checkVersion = Effect.fnUntraced(function* (
      companyId: string,
      place: { readonly publisherSlug: string; readonly apiSlug: string },
      request: VersionRequest
    ) {
      const { openapi, sandboxUpstreamUrl, upstreamUrl, version } = request
      yield* checkUpstream("upstreamUrl", upstreamUrl)
      if (sandboxUpstreamUrl !== undefined) yield* checkUpstream("sandboxUpstreamUrl", sandboxUpstreamUrl)
      if (openapi === undefined) return { openapi: null, fragment: null }
      const sandbox = sandboxUpstreamUrl === undefined ? [] : [sandboxUpstreamUrl]
      const upstreams = [upstreamUrl, ...sandbox] as const
      const fragment = yield* documents.check(companyId, openapi, { ...place, version, upstreams })
      return { openapi, fragment }
    })

    /** Permanently adds a version that `checkVersion` has accepted. */
    const addChecked = Effect.fnUntraced(function* (
      by: Actor,
      apiId: string,
      request: VersionRequest,
      checked: CheckedVersion
    ) {
      const { sandboxUpstreamUrl, timeoutSeconds = defaultTimeout, upstreamUrl, version } = request
      const added = yield* repo
        .insertVersion({
          id: newId(),
          companyId: by.companyId,
          apiId,
          version,
          upstreamUrl,
          sandboxUpstreamUrl: sandboxUpstreamUrl ?? null,
          timeoutSeconds,
          ...checked
        })
        .pipe(audit.recording(by, (made) => [entries.version(apiId, made)]))
      yield* forget(apiId)
      return added
    })

    /**
     * Permanently adds a version. Checks the API's owner first: only the publisher may have a document processed. Checks the limit of
     * versions last, as with every check of state (contract.md#order-of-checks).
     */
    const addVersion = Effect.fnUntraced(function* (by: Actor, id: string, request: VersionRequest) {
      const known = yield* apiId(id)
      const place = yield* repo.findPlace(by.companyId, known)
      return yield* addChecked(by, known, request, yield* checkVersion(by.companyId, place, request))
    }) satisfies (
      by: Actor,
      id: string,
      request: VersionRequest
    ) => Effect.Effect<
      ApiVersion,
      ApiNotFound | VersionExists | TooManyVersions | DescriptionRefused | TooManyRequests | UpstreamRefused
    >

    const addPlan = (
      by: Actor,
      id: string,
      { name, requestsPerMinute, requestsPerMonth }: PlanRequest
    ): Effect.Effect<ApiPlan, ApiNotFound | PlanNameTaken | TooManyPlans> =>
      Effect.flatMap(apiId(id), (known) =>
        repo
          .insertPlan({
            id: newId(),
            companyId: by.companyId,
            apiId: known,
            name,
            requestsPerMinute: requestsPerMinute ?? null,
            requestsPerMonth: requestsPerMonth ?? null
          })
          .pipe(
            audit.recording(by, (made) => [entries.plan(known, made)]),
            Effect.zipLeft(lists.forget)
          )
      )

    const setPublished = (by: Actor, id: string, publish: boolean) =>
      Effect.flatMap(apiId(id), (known) =>
        repo.setPublished(by.companyId, known, publish).pipe(
          audit.recording(by, (change) => entries.published(known, publish, change)),
          Effect.zipLeft(
            publish ? forget(known) : Effect.zipRight(lists.forget, descriptions.withdraw(known))
          )
        )
      )

    /**
     * Publishes the API: it is then listed, open to subscriptions, and served by the gateway. Fails with `ApiTakenDown` until the operator
     * allows the API again.
     */
    const publish = (by: Actor, id: string): Effect.Effect<void, ApiNotFound | ApiTakenDown> =>
      Effect.flatMap(setPublished(by, id, true), ({ taken_down }) =>
        taken_down ? Effect.fail(new ApiTakenDown()) : Effect.void
      )

    /** Turns the API back into a draft. Its subscriptions remain, and work again once it is published again. */
    const unpublish = (by: Actor, id: string): Effect.Effect<void, ApiNotFound> =>
      Effect.asVoid(setPublished(by, id, false))

    return {
      becomePublisher,
      publisher,
      list,
      addApi,
      changeApi,
      checkVersion,
      addChecked,
      addVersion,
      addPlan,
      publish,
      unpublish
    }
  })
}) {}
