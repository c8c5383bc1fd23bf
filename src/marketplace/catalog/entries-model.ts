import type { AuditEntry } from "../../audit/model.ts"
import type { OwnApi } from "./model.ts"

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

/** The audit events of publishing. */
export const entries = {
  publisher: (made: { readonly id: string; readonly slug: string; readonly name: string }): AuditEntry => ({
    action: "publisher.created",
    id: made.id,
    name: made.name,
    details: { slug: made.slug }
  }),

  api: (made: { readonly id: string; readonly slug: string; readonly name: string }): AuditEntry => ({
    action: "api.created",
    id: made.id,
    name: made.name,
    details: { slug: made.slug }
  }),

  /** Empty if nothing changed. */
  changed: ({ api, before }: OwnApiChange): ReadonlyArray<AuditEntry> => {
    const { id, name } = api
    const details = {
      ...(name === before.name ? {} : { name: { from: before.name, to: name } }),
      // The description may be long, so the event only records that it changed.
      ...(api.description === before.description ? {} : { description: "changed" })
    }
    return Object.keys(details).length === 0 ? [] : [{ action: "api.changed", id, name, details }]
  },

  version: (apiId: string, made: { readonly id: string; readonly version: string }): AuditEntry => ({
    action: "api_version.created",
    id: made.id,
    name: made.version,
    details: { api_id: apiId }
  }),

  plan: (
    apiId: string,
    made: {
      readonly id: string
      readonly name: string
      readonly requests_per_minute: number | null
      readonly requests_per_month: number | null
    }
  ): AuditEntry => ({
    action: "api_plan.created",
    id: made.id,
    name: made.name,
    details: {
      api_id: apiId,
      requests_per_minute: made.requests_per_minute,
      requests_per_month: made.requests_per_month
    }
  }),

  /** Empty if the API was already taken down for this reason. */
  takenDown: ({ changed, id, name, reason }: Takedown): ReadonlyArray<AuditEntry> =>
    changed ? [{ action: "api.taken_down", id, name, details: { reason } }] : [],

  /** Empty if the API was already allowed. */
  allowed: ({ changed, id, name }: Omit<Takedown, "reason">): ReadonlyArray<AuditEntry> =>
    changed ? [{ action: "api.allowed", id, name }] : [],

  /** Empty if the state was the same before. */
  published: (
    id: string,
    publish: boolean,
    change: { readonly name: string; readonly changed: boolean }
  ): ReadonlyArray<AuditEntry> =>
    change.changed ? [{ action: publish ? "api.published" : "api.unpublished", id, name: change.name }] : []
}
