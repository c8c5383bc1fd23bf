import { Effect, Struct } from "effect"
import type { Actor } from "../../audit/model.ts"
import { Audit } from "../../audit/service.ts"
import { Config } from "../../config.ts"
import { foundOr, idOr } from "../../shared/found.ts"
import { newId } from "../../shared/identifier.ts"
import { Catalog } from "./catalog.ts"
import { ApiDescriptions } from "./descriptions.ts"
import { ApiNotFound, ApiTakenDown, PublisherNotFound, SlugReserved, UpstreamRefused } from "./errors.ts"
import type { Sections } from "./model.ts"
import { OpenApiDocuments } from "./openapi-documents.ts"
import type {
  ApiChange,
  ApiRequest,
  NewRow,
  PlanRequest,
  PublisherRequest,
  VersionRequest
} from "./publishing-model.ts"
import { PublishingRepo } from "./publishing-repo.ts"
import { reservedSlugs } from "./slugs-model.ts"
import { Upstreams } from "./upstreams.ts"

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

    const newRow = ({ companyId }: Actor): NewRow => ({ id: newId(), companyId })

    /** Accepts a reserved slug, too. */
    const addPublisher = (by: Actor, request: PublisherRequest) =>
      repo
        .insertPublisher({ ...request, ...newRow(by) })
        .pipe(
          audit.recording(by, ({ id, name, slug }) => [
            { action: "publisher.created", id, name, details: { slug } }
          ])
        )

    /** Also fails with `SlugReserved`. */
    const becomePublisher = Effect.fnUntraced(function* (by: Actor, request: PublisherRequest) {
      if (isReserved(request.slug)) return yield* new SlugReserved()
      return yield* addPublisher(by, request)
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
    const addApi = Effect.fnUntraced(function* (by: Actor, request: ApiRequest) {
      const { description = "", name, slug } = request
      const id = newId()
      const publisher_slug = yield* repo
        .insertApi({ ...request, id, companyId: by.companyId }, quotas.apis)
        .pipe(audit.recording(by, () => [{ action: "api.created", id, name, details: { slug } }]))
      const about = { id, publisher_slug, slug, name, description }
      return { ...about, status: "draft", versions: [], plans: [] } as const
    })

    const apiId = (id: string) => idOr(id, () => new ApiNotFound())

    const changeApi = (by: Actor, id: string, change: ApiChange) =>
      Effect.flatMap(apiId(id), (known) =>
        repo.changeApi(by.companyId, known, change).pipe(
          audit.recording(by, ({ description, description_before, id, name, name_before }) => {
            const details = {
              ...(name === name_before ? {} : { name: { from: name_before, to: name } }),
              // The description may be long, so the event only records that it changed.
              ...(description === description_before ? {} : { description: "changed" })
            }
            return Object.keys(details).length === 0 ? [] : [{ action: "api.changed", id, name, details }]
          }),
          Effect.map(Struct.omit("name_before", "description_before")),
          Effect.zipLeft(forget(known))
        )
      )

    const checkUpstream = Effect.fnUntraced(function* (field: UpstreamRefused["field"], url: string) {
      const objection = yield* upstreams.objection(new URL(url))
      if (objection !== undefined) return yield* new UpstreamRefused({ field, objection })
    })

    /** Validates addresses, then the document. Returns its part in the description; null without a document. */
    const checkVersion = Effect.fnUntraced(function* (
      companyId: string,
      place: { readonly publisherSlug: string; readonly apiSlug: string },
      request: VersionRequest
    ) {
      const { openapi, sandboxUpstreamUrl, upstreamUrl, version } = request
      yield* checkUpstream("upstreamUrl", upstreamUrl)
      if (sandboxUpstreamUrl !== undefined) yield* checkUpstream("sandboxUpstreamUrl", sandboxUpstreamUrl)
      if (openapi === undefined) return null
      return yield* documents.check(companyId, openapi, { ...place, version, upstreamUrl })
    })

    /** Permanently adds a version that `checkVersion` has accepted. */
    const addChecked = Effect.fnUntraced(function* (
      by: Actor,
      apiId: string,
      request: VersionRequest,
      exported: Sections | null
    ) {
      const added = yield* repo
        .insertVersion({ ...request, ...newRow(by), apiId }, exported)
        .pipe(
          audit.recording(by, ({ id, version }) => [
            { action: "api_version.created", id, name: version, details: { api_id: apiId } }
          ])
        )
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
      const added = yield* repo
        .insertPlan({ ...request, ...newRow(by), apiId: known })
        .pipe(
          audit.recording(by, ({ id, name, ...limits }) => [
            { action: "api_plan.created", id, name, details: { api_id: known, ...limits } }
          ])
        )
      yield* catalog.forgetLists
      return added
    })

    const setPublished = (by: Actor, id: string, publish: boolean) =>
      Effect.flatMap(apiId(id), (known) =>
        repo.setPublished(by.companyId, known, publish).pipe(
          audit.recording(by, ({ changed, name }) =>
            changed ? [{ action: publish ? "api.published" : "api.unpublished", id: known, name }] : []
          ),
          Effect.zipLeft(forget(known))
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
      addPublisher,
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
