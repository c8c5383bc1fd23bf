import type { AuditEntry } from "../../audit/model.ts"
import type { ApiPlan, ApiVersion, OwnApi, Publisher } from "./model.ts"

/** An API after a change, and the changed fields before it. */
export interface OwnApiChange {
  readonly api: OwnApi
  readonly before: { readonly name: string; readonly description: string }
}

/** An API that the operator took off the market, or allowed again. */
interface Takedown {
  readonly id: string
  readonly name: string
  readonly reason: string
  readonly changed: boolean
}

type Named = Pick<Publisher, "id" | "slug" | "name">

/** The audit events of publishing: none for a request that changed nothing. */
export const entries = {
  publisher: ({ id, name, slug }: Named): AuditEntry => ({
    action: "publisher.created",
    id,
    name,
    details: { slug }
  }),

  api: ({ id, name, slug }: Named): AuditEntry => ({ action: "api.created", id, name, details: { slug } }),

  changed: ({ api, before }: OwnApiChange): ReadonlyArray<AuditEntry> => {
    const { id, name } = api
    const details = {
      ...(name === before.name ? {} : { name: { from: before.name, to: name } }),
      // The description may be long, so the event only records that it changed.
      ...(api.description === before.description ? {} : { description: "changed" })
    }
    return Object.keys(details).length === 0 ? [] : [{ action: "api.changed", id, name, details }]
  },

  version: (api_id: string, { id, version }: Pick<ApiVersion, "id" | "version">): AuditEntry => ({
    action: "api_version.created",
    id,
    name: version,
    details: { api_id }
  }),

  plan: (api_id: string, { id, name, requests_per_minute, requests_per_month }: ApiPlan): AuditEntry => ({
    action: "api_plan.created",
    id,
    name,
    details: { api_id, requests_per_minute, requests_per_month }
  }),

  takenDown: ({ changed, id, name, reason }: Takedown): ReadonlyArray<AuditEntry> =>
    changed ? [{ action: "api.taken_down", id, name, details: { reason } }] : [],

  allowed: ({ changed, id, name }: Omit<Takedown, "reason">): ReadonlyArray<AuditEntry> =>
    changed ? [{ action: "api.allowed", id, name }] : [],

  published: (
    id: string,
    publish: boolean,
    { changed, name }: Pick<Takedown, "name" | "changed">
  ): ReadonlyArray<AuditEntry> =>
    changed ? [{ action: publish ? "api.published" : "api.unpublished", id, name }] : []
}
