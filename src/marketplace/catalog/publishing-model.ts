/** The requests of publishers, and the rows that they produce. */
import type { StoredFragment } from "./fragment-model.ts"

export interface ApiRequest {
  readonly slug: string
  readonly name: string
  readonly description?: string | undefined
}

/** Omitted fields stay unchanged. */
export interface ApiChange {
  readonly name?: string | undefined
  readonly description?: string | undefined
}

export interface VersionRequest {
  readonly version: string
  /** Canonical, as returned by `upstreamBase`. */
  readonly upstreamUrl: string
  /** The upstream for test keys; default: the main upstream. */
  readonly sandboxUpstreamUrl?: string | undefined
  /** Seconds until the upstream's headers; default 30. */
  readonly timeoutSeconds?: number | undefined
  /** As JSON. */
  readonly openapi?: string | undefined
}

/** Unlimited by default. */
export interface PlanRequest {
  readonly name: string
  readonly requestsPerMinute?: number | undefined
  readonly requestsPerMonth?: number | undefined
}

interface NewRow {
  readonly id: string
  readonly companyId: string
}

export interface NewPublisher extends NewRow {
  readonly slug: string
  readonly name: string
}

export interface Draft extends NewPublisher {
  readonly description: string
}

/** A version's document, and its part in the description of published APIs. */
export interface CheckedDocument {
  /** As JSON. */
  readonly openapi: string | null
  readonly fragment: StoredFragment | null
}

export interface NewVersion extends NewRow, CheckedDocument {
  readonly apiId: string
  readonly version: string
  readonly upstreamUrl: string
  readonly sandboxUpstreamUrl: string | null
  readonly timeoutSeconds: number
}

export interface NewPlan extends NewRow {
  readonly apiId: string
  readonly name: string
  readonly requestsPerMinute: number | null
  readonly requestsPerMonth: number | null
}
