import type { AuditEntry } from "../../audit/model.ts"

/** What publishing writes into the audit trail. */
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

  /** Nothing when it was so before. */
  published: (
    id: string,
    publish: boolean,
    change: { readonly name: string; readonly changed: boolean }
  ): ReadonlyArray<AuditEntry> =>
    change.changed ? [{ action: publish ? "api.published" : "api.unpublished", id, name: change.name }] : []
}
