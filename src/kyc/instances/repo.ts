import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { json, orDie, row, rows } from "../../db/sql.ts"
import { foundOr } from "../../shared/found.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { Instance, TooManyInstances } from "./model.ts"

const InstanceRow = Schema.typeSchema(Instance)

const BeforeRow = Schema.Struct({
  name: Schema.String,
  disabled: Schema.Boolean,
  version_id: Schema.String
})

const NewVersionRow = Schema.Struct({
  id: Schema.String,
  config_changed: Schema.Boolean,
  workflow_changed: Schema.Boolean
})

interface NewInstance extends Pick<Instance, "id" | "name" | "public_key" | "config" | "workflow"> {
  readonly versionId: string
  readonly companyId: string
}

/** The changes to an instance; undefined fields stay as they are. */
export interface InstanceChanges {
  readonly name?: string | undefined
  readonly config?: JsonObject | undefined
  readonly workflow?: JsonObject | undefined
  readonly disabled?: boolean | undefined
}

export interface InstanceChange {
  readonly before: typeof BeforeRow.Type
  readonly instance: Instance
  readonly version: Option.Option<typeof NewVersionRow.Type>
}

/** KYC instances and their versions in Postgres. */
export class InstanceRepo extends Effect.Service<InstanceRepo>()("InstanceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(InstanceRow)
    const decodeOne = row(InstanceRow)
    const decodeBefore = row(BeforeRow)
    const decodeNew = row(Schema.Struct({ id: Schema.String }))
    const decodeNewVersion = row(NewVersionRow)

    const select = sql.literal(`
      select i.id, i.name, i.public_key, v.config, v.workflow, i.disabled_at, i.created_at
      from kyc_instances i join kyc_instance_versions v on v.id = i.version_id`)

    const find = (companyId: string, id: string) =>
      decodeOne(sql`${select} where i.company_id = ${companyId} and i.id = ${id}`)

    return {
      /** Newest first, including disabled instances. */
      list: (companyId: string) =>
        decodeAll(sql`${select} where i.company_id = ${companyId} order by i.created_at desc, i.id desc`),

      find,

      /** Counts and adds without a lock: concurrent requests may each find room for the last instance. */
      insert: (added: NewInstance, most: number) =>
        decodeNew(sql`
          with room as (
            select from (select count(*) as total from kyc_instances where company_id = ${added.companyId}) there
            where total < ${most}
          ), instance as (
            insert into kyc_instances (id, company_id, name, public_key, version_id)
            select ${added.id}, ${added.companyId}, ${added.name}, ${added.public_key}, ${added.versionId} from room
          )
          insert into kyc_instance_versions (id, instance_id, company_id, config, workflow)
          select ${added.versionId}, ${added.id}, ${added.companyId}, ${json(added.config)}, ${json(added.workflow)}
          from room
          returning id`).pipe(foundOr(() => new TooManyInstances({ most }))),

      /** Needs a transaction for its lock. The version is new only if the content changes. */
      update: (
        companyId: string,
        id: string,
        changes: InstanceChanges,
        nextVersionId: string
      ): Effect.Effect<Option.Option<InstanceChange>> => {
        const { config, disabled, name, workflow } = changes
        const lock = decodeBefore(sql`
          select name, disabled_at is not null as disabled, version_id from kyc_instances where company_id = ${companyId} and id = ${id} for update`)
        const newVersion = (versionId: string) =>
          config === undefined && workflow === undefined
            ? Effect.succeedNone
            : decodeNewVersion(sql`
                with next as (
                  select instance_id, company_id, asked.config, asked.workflow,
                    asked.config <> v.config as config_changed, asked.workflow <> v.workflow as workflow_changed
                  from kyc_instance_versions v, lateral (
                    select ${config === undefined ? sql.literal("v.config") : json(config)} as config,
                      ${workflow === undefined ? sql.literal("v.workflow") : json(workflow)} as workflow
                  ) as asked
                  where v.id = ${versionId}
                ), made as (
                  insert into kyc_instance_versions (id, instance_id, company_id, config, workflow)
                  select ${nextVersionId}, instance_id, company_id, config, workflow from next
                  where config_changed or workflow_changed
                  returning id
                )
                select made.id, config_changed, workflow_changed from made, next`)
        const change = (versionId: string) =>
          orDie(sql`
            update kyc_instances set version_id = ${versionId}, name = coalesce(${name ?? null}, name),
              disabled_at = case ${disabled ?? null}::boolean
                when true then coalesce(disabled_at, now())
                when false then null
                else disabled_at
              end
            where id = ${id}`)
        return Effect.gen(function* () {
          const before = yield* lock
          if (Option.isNone(before)) return Option.none()
          const version = yield* newVersion(before.value.version_id)
          yield* change(Option.isSome(version) ? version.value.id : before.value.version_id)
          return Option.map(yield* find(companyId, id), (instance) => ({
            before: before.value,
            instance,
            version
          }))
        })
      }
    }
  })
}) {}
