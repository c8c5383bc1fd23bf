import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Predicate, Schema } from "effect"
import { notify } from "../../db/changes.ts"
import { recordingEvents } from "../../db/outbox.ts"
import { failsOn, onlyRow, row, rows } from "../../db/sql.ts"
import { foundOr } from "../../shared/found.ts"
import {
  AlreadyAPublisher,
  ApiNotFound,
  NotAPublisher,
  PlanNameTaken,
  SlugTaken,
  TooManyApis,
  TooManyPlans,
  TooManyVersions,
  VersionExists
} from "./errors.ts"
import {
  ApiPlan,
  ApiVersion,
  catalogName,
  limits,
  OwnApi,
  Publisher,
  plansChangedTopic,
  type Sections
} from "./model.ts"
import type {
  ApiChange,
  ApiRequest,
  NewPart,
  NewRow,
  PlanRequest,
  PublisherRequest,
  VersionRequest
} from "./publishing-model.ts"
import { apiEvents, plansOf, takenDownOf, tellApiChanged } from "./repo.ts"

/** Seconds until the upstream's headers. */
const defaultTimeout = 30

const PublisherRow = Schema.typeSchema(Publisher)
const ChangedApiRow = Schema.Struct({
  ...OwnApi.fields,
  name_before: Schema.String,
  description_before: Schema.String
})
const PublishedRow = Schema.Struct({
  name: Schema.String,
  /** Whether the operator has taken it down. */
  taken_down: Schema.Boolean,
  changed: Schema.Boolean
})

/** What was added; null if the API has reached its limit. */
const added = <A, I>(schema: Schema.Schema<A, I>) => row(Schema.Struct({ added: Schema.NullOr(schema) }))

const orNotFound = foundOr(() => new ApiNotFound())

const versionsOf = `(
  select coalesce(json_agg(json_build_object('id', v.id, 'version', v.version, 'created_at', v.created_at,
      'upstream_url', v.upstream_url, 'sandbox_upstream_url', v.sandbox_upstream_url,
      'timeout_seconds', v.timeout_seconds, 'has_openapi', v.openapi is not null)
    order by v.created_at desc, v.id desc), '[]')
  from api_versions v where v.api_id = a.id)`

/** Publishers' own data. Additions check limits in their own statement: concurrent ones may exceed them. */
export class PublishingRepo extends Effect.Service<PublishingRepo>()("PublishingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodePublisher = onlyRow(PublisherRow)
    const decodeFound = row(PublisherRow)
    const decodeOwn = rows(OwnApi)
    const decodeChanged = row(ChangedApiRow)
    const decodeAddedApi = row(Schema.Struct({ publisher_slug: Schema.String, added: Schema.Boolean }))
    const decodeAddedVersion = added(ApiVersion)
    const decodeAddedPlan = added(ApiPlan)
    const decodePublished = row(PublishedRow)
    const decodePlace = row(Schema.Struct({ publisherSlug: Schema.String, apiSlug: Schema.String }))

    const ownApi = (companyId: string, apiId: string) => sql`
      select a.id from apis a join publishers p on p.id = a.publisher_id
      where p.company_id = ${companyId} and a.id = ${apiId}`

    const own = sql.literal(`
      select a.id, p.slug as publisher_slug, a.slug, a.name, a.description, a.status,
        ${takenDownOf} as taken_down, ${versionsOf} as versions, ${plansOf} as plans`)

    return {
      /** The place of a company's API for its versions. */
      findPlace: (companyId: string, apiId: string) =>
        decodePlace(sql`
          select p.slug as "publisherSlug", a.slug as "apiSlug"
          from apis a join publishers p on p.id = a.publisher_id
          where p.company_id = ${companyId} and a.id = ${apiId}`).pipe(orNotFound),

      insertPublisher: (publisher: NewRow & PublisherRequest) =>
        sql`
          insert into publishers (id, company_id, slug, name)
          values (${publisher.id}, ${publisher.companyId}, ${publisher.slug}, ${publisher.name})
          returning id, slug, name, created_at`.pipe(
          failsOn("publishers_company_key", () => new AlreadyAPublisher()),
          failsOn("publishers_slug_key", () => new SlugTaken()),
          decodePublisher
        ),

      findPublisher: (companyId: string) =>
        decodeFound(sql`select id, slug, name, created_at from publishers where company_id = ${companyId}`),

      /** All of the company's APIs, newest first. */
      listOwn: (companyId: string) =>
        decodeOwn(sql`
          ${own}
          from apis a join publishers p on p.id = a.publisher_id
          where p.company_id = ${companyId}
          order by a.created_at desc, a.id desc`),

      /** Adds a draft and returns the slug of its publisher. */
      insertApi: (api: NewRow & ApiRequest, most: number) =>
        sql`
          with publisher as (select id, slug from publishers where company_id = ${api.companyId}),
          added as (
            insert into apis (id, publisher_id, slug, name, description)
            select ${api.id}, id, ${api.slug}, ${api.name}, ${api.description ?? ""} from publisher
            where (select count(*) from apis where publisher_id = publisher.id) < ${most}
            returning id
          )
          select slug as publisher_slug, exists (select from added) as added from publisher`.pipe(
          failsOn("apis_slug_key", () => new SlugTaken()),
          decodeAddedApi,
          foundOr(() => new NotAPublisher()),
          Effect.flatMap(({ added, publisher_slug }) =>
            added ? Effect.succeed(publisher_slug) : Effect.fail(new TooManyApis({ most }))
          )
        ),

      /** Notifies every process in the same statement. Also returns the name and description before. */
      changeApi: (companyId: string, apiId: string, { description, name }: ApiChange) =>
        decodeChanged(sql`
          with before as (
            select id, name, description from apis
            where id in (${ownApi(companyId, apiId)}) for no key update
          ), changed as (
            update apis a set name = coalesce(${name ?? null}, a.name),
              description = coalesce(${description ?? null}, a.description)
            from before where a.id = before.id
            returning a.id, a.publisher_id, a.slug, a.name, a.description, a.status,
              a.taken_down_at, a.taken_down_reason, before.name as name_before, before.description as description_before
          )
          select own.*, ${tellApiChanged}
          from (
            ${own}, a.name_before, a.description_before
            from changed a join publishers p on p.id = a.publisher_id
          ) as own`).pipe(orNotFound),

      insertVersion: (version: NewPart & VersionRequest, exported: Sections | null) =>
        sql`
          with api as (${ownApi(version.companyId, version.apiId)}),
          added as (
            insert into api_versions
              (id, api_id, version, upstream_url, sandbox_upstream_url, timeout_seconds, openapi, exported, exported_lengths)
            select ${version.id}, id, ${version.version}, ${version.upstreamUrl}, ${version.sandboxUpstreamUrl ?? null},
              ${version.timeoutSeconds ?? defaultTimeout}, ${version.openapi ?? null}::text::json, ${exported?.join("") ?? null},
              ${exported === null ? null : `{${exported.map((section) => Buffer.byteLength(section)).join(",")}}`}::integer[]
            from api
            where (select count(*) from api_versions where api_id = api.id) < ${limits.versions}
            returning id, version, created_at
          ), told as (
            select a.id, a.status, p.company_id, added.version
            from added, apis a join publishers p on p.id = a.publisher_id where a.id = ${version.apiId}
          ), recorded as (${apiEvents(sql, "version_added", sql`told`)})
          select (select to_json(added) from added) as added, ${tellApiChanged} from api`.pipe(
          failsOn("api_versions_version_key", () => new VersionExists()),
          decodeAddedVersion,
          recordingEvents,
          orNotFound,
          Effect.map(({ added }) => added),
          Effect.filterOrFail(Predicate.isNotNull, () => new TooManyVersions())
        ),

      insertPlan: (plan: NewPart & PlanRequest) =>
        sql`
          with api as (${ownApi(plan.companyId, plan.apiId)}),
          added as (
            insert into api_plans (id, api_id, name, requests_per_minute, requests_per_month)
            select ${plan.id}, id, ${plan.name}, ${plan.requestsPerMinute ?? null}, ${plan.requestsPerMonth ?? null} from api
            where (select count(*) from api_plans where api_id = api.id) < ${limits.plans}
            returning id, name, requests_per_minute, requests_per_month
          )
          select (select to_json(added) from added) as added, ${notify(plansChangedTopic, catalogName)} from api`.pipe(
          failsOn("api_plans_name_key", () => new PlanNameTaken()),
          decodeAddedPlan,
          orNotFound,
          Effect.map(({ added }) => added),
          Effect.filterOrFail(Predicate.isNotNull, () => new TooManyPlans())
        ),

      /** Notifies every process. A takedown prevails. */
      setPublished: (companyId: string, apiId: string, publish: boolean) =>
        decodePublished(sql`
            with api as (
              select id, name, taken_down_at is not null as taken_down,
                status <> ${publish ? "published" : "draft"} and taken_down_at is null as changed
              from apis where id in (${ownApi(companyId, apiId)}) for no key update
            ), updated as (
              update apis a set status = ${publish ? "published" : "draft"},
                published_at = case when ${publish} then now() else published_at end
              from api where a.id = api.id and api.changed
              returning a.id, a.status, a.publisher_id
            ), told as (
              select u.id, u.status, p.company_id, null as version
              from updated u join publishers p on p.id = u.publisher_id
            ), recorded as (${apiEvents(sql, publish ? "published" : "unpublished", sql`told`)})
            select name, taken_down, changed, ${tellApiChanged} from api`).pipe(recordingEvents, orNotFound)
    }
  })
}) {}
