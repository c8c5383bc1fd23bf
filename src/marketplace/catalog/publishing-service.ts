import { Effect } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId } from "../../shared/identifier.ts"
import { Catalog } from "./catalog.ts"
import { ApiDescriptions } from "./descriptions.ts"
import { entries } from "./entries-model.ts"
import { ApiNotFound, ApiTakenDown, PublisherNotFound, SlugReserved, UpstreamRefused } from "./errors.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import type {
  ApiChange,
  ApiRequest,
  CheckedDocument,
  PlanRequest,
  VersionRequest
} from "./publishing-model.ts"
import { PublishingRepo } from "./publishing-repo.ts"
import { reservedSlugs } from "./slugs-model.ts"
import { Upstreams } from "./upstreams.ts"

/** Default timeout in seconds until the upstream's headers. */
const defaultTimeout = 30

/** A company's APIs (contract.md#publishing). Versions and plans never change: subscribers rely on them. */
export class Publishing extends Effect.Service<Publishing>()("Publishing", {
  effect: Effect.gen(function* () {
    const repo = yield* PublishingRepo
    const audit = yield* Audit
    const documents = yield* OpenApiDocuments
    const descriptions = yield* ApiDescriptions
    const upstreams = yield* Upstreams
    const { publisherSlugs, quotas } = yield* Config
    const catalog = yield* Catalog

    const forget = (id: string) => Effect.zipRight(catalog.forgetLists, descriptions.forget(id))

    const isReserved = reservedSlugs(publisherSlugs)

    /** Also fails with `SlugReserved`. */
    const becomePublisher = Effect.fnUntraced(function* (
      by: Actor,
      request: { readonly slug: string; readonly name: string }
    ) {
      if (isReserved(request.slug)) return yield* new SlugReserved()
      const row = { id: newId(), companyId: by.companyId, ...request }
      return yield* repo
        .insertPublisher(row, publisherSlugs.allowed.includes(request.slug))
        .pipe(audit.recording(by, (made) => [entries.publisher(made)]))
    })

    const publisher = (companyId: string) =>
      repo.findPublisher(companyId).pipe(foundOr(() => new PublisherNotFound()))

    /** Newest first, including drafts. Fails with `PublisherNotFound` if the company is no publisher. */
    const list = Effect.fnUntraced(function* (companyId: string) {
      const own = yield* repo.listOwn(companyId)
      if (own.length === 0) yield* publisher(companyId)
      return own
    })

    /** Creates a draft: nobody else sees it, and the gateway does not serve it. */
    const addApi = Effect.fnUntraced(function* (by: Actor, { description = "", name, slug }: ApiRequest) {
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
    })

    const apiId = (id: string) => idOr(id, () => new ApiNotFound())

    const changeApi = (by: Actor, id: string, change: ApiChange) =>
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

    /** Validates addresses, then the document. Returns it as stored, and its part in the description. */
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
      checked: CheckedDocument
    ) {
      const { sandboxUpstreamUrl = null, timeoutSeconds = defaultTimeout, upstreamUrl, version } = request
      const addresses = { upstreamUrl, sandboxUpstreamUrl, timeoutSeconds }
      const added = yield* repo
        .insertVersion({ id: newId(), companyId: by.companyId, apiId, version, ...addresses, ...checked })
        .pipe(audit.recording(by, (made) => [entries.version(apiId, made)]))
      yield* forget(apiId)
      return added
    })

    /** Only the owner may have a document processed. Limits come last (contract.md#order-of-checks). */
    const addVersion = Effect.fnUntraced(function* (by: Actor, id: string, request: VersionRequest) {
      const known = yield* apiId(id)
      const place = yield* repo.findPlace(by.companyId, known)
      return yield* addChecked(by, known, request, yield* checkVersion(by.companyId, place, request))
    })

    const addPlan = Effect.fnUntraced(function* (by: Actor, id: string, request: PlanRequest) {
      const known = yield* apiId(id)
      const { name, requestsPerMinute = null, requestsPerMonth = null } = request
      const limits = { requestsPerMinute, requestsPerMonth }
      const added = yield* repo
        .insertPlan({ id: newId(), companyId: by.companyId, apiId: known, name, ...limits })
        .pipe(audit.recording(by, (made) => [entries.plan(known, made)]))
      yield* catalog.forgetLists
      return added
    })

    const setPublished = (by: Actor, id: string, publish: boolean) =>
      Effect.flatMap(apiId(id), (known) =>
        repo.setPublished(by.companyId, known, publish).pipe(
          audit.recording(by, (change) => entries.published(known, publish, change)),
          Effect.zipLeft(
            publish ? forget(known) : Effect.zipRight(catalog.forgetLists, descriptions.withdraw(known))
          )
        )
      )

    /** Fails with `ApiTakenDown` until the operator allows the API again. */
    const publish = (by: Actor, id: string) =>
      Effect.filterOrFail(
        setPublished(by, id, true),
        ({ taken_down }) => !taken_down,
        () => new ApiTakenDown()
      )

    /** Turns the API back into a draft. Its subscriptions remain, and work again once it is published again. */
    const unpublish = (by: Actor, id: string) => setPublished(by, id, false)

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
