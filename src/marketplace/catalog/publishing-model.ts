/** The requests of publishers. */

export interface PublisherRequest {
  readonly slug: string
  readonly name: string
}

export interface ApiRequest extends PublisherRequest {
  readonly description?: string | undefined
}

/** Omitted fields stay unchanged. */
export type ApiChange = Partial<Omit<ApiRequest, "slug">>

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

/** The id of a new row, and the company that adds it. */
export interface NewRow {
  readonly id: string
  readonly companyId: string
}

/** A part of an API. */
export interface NewPart extends NewRow {
  readonly apiId: string
}
