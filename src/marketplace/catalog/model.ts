import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"

/** APIs that were published, unpublished or changed, or got a version; the message is the API's id. */
export const apiChangedTopic = "api-changed"

/** The topic that accompanies every `apiChangedTopic`; the message is `catalogName`. */
export const catalogChangedTopic = "catalog-changed"

/** The topic for new plans, which no description contains; the message is `catalogName`. */
export const plansChangedTopic = "api-plans-changed"

/** The name of the whole catalog in messages; no API has this id. */
export const catalogName = "all"

export const PublisherSlug = Schema.String.annotations({
  description: "The first part of the gateway paths of the publisher's APIs."
})

export const ApiSlug = Schema.String.annotations({
  description: "The second part of the API's gateway paths, after the publisher's slug."
})

export const Publisher = Schema.Struct({
  id: Schema.String,
  slug: PublisherSlug,
  name: Schema.String,
  created_at: Timestamp
}).annotations({ identifier: "Publisher" })
export type Publisher = typeof Publisher.Type

/** A version as everybody may see it: the upstream is the publisher's own business. */
export const ApiVersion = Schema.Struct({
  id: Schema.String,
  version: Schema.String.annotations({
    description: "Its name, which is part of its gateway path, such as `v1`."
  }),
  created_at: Timestamp
}).annotations({ identifier: "ApiVersion" })
export type ApiVersion = typeof ApiVersion.Type

/** How often a subscriber may call an API; null means unlimited. */
export const ApiPlan = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  requests_per_minute: Schema.NullOr(Schema.Number).annotations({
    description: "The most calls in any 60 seconds; null if unlimited."
  }),
  requests_per_month: Schema.NullOr(Schema.Number).annotations({
    description: "The most calls in a calendar month (UTC); null if unlimited."
  })
}).annotations({ identifier: "ApiPlan" })
export type ApiPlan = typeof ApiPlan.Type

const common = {
  id: Schema.String,
  publisher_slug: PublisherSlug,
  slug: ApiSlug,
  name: Schema.String,
  description: Schema.String.annotations({ description: "What the API does, in the publisher's words." })
}

/** A published API, newest version first. */
export const ListedApi = Schema.Struct({
  ...common,
  versions: Schema.Array(ApiVersion),
  plans: Schema.Array(ApiPlan)
}).annotations({ identifier: "ListedApi" })
export type ListedApi = typeof ListedApi.Type

const ApiStatus = Schema.Literal("draft", "published").annotations({
  description: "`draft`: only its publisher sees it, and the gateway refuses calls."
})

/** When and why the operator took an API down. */
const TakenDown = Schema.Struct({
  at: Timestamp,
  reason: Schema.String.annotations({ description: "The operator's words." })
}).annotations({ identifier: "ApiTakenDown" })

/** A new API as its publisher sees it, still empty. */
export const NewApi = Schema.Struct({
  ...common,
  status: ApiStatus,
  versions: Schema.Array(ApiVersion),
  plans: Schema.Array(ApiPlan)
}).annotations({ identifier: "NewApi" })
export type NewApi = typeof NewApi.Type

const OwnApiVersion = Schema.Struct({
  ...ApiVersion.fields,
  upstream_url: Schema.String.annotations({
    description: "Where the gateway sends calls. Only the publisher sees it."
  }),
  sandbox_upstream_url: Schema.NullOr(Schema.String).annotations({
    description: "Where it sends calls with test keys; null if they also go to `upstream_url`."
  }),
  timeout_seconds: Schema.Number.annotations({
    description: "How long the gateway waits for the upstream's response to begin."
  }),
  has_openapi: Schema.Boolean.annotations({ description: "Whether the version has an OpenAPI document." })
}).annotations({ identifier: "OwnApiVersion" })

/** An API as its publisher sees it, a draft or published, with its upstreams. */
export const OwnApi = Schema.Struct({
  ...common,
  status: ApiStatus,
  taken_down: Schema.NullOr(TakenDown).annotations({
    description: "When and why the operator took the API down. It cannot be published while this is not null."
  }),
  versions: Schema.Array(OwnApiVersion),
  plans: Schema.Array(ApiPlan)
}).annotations({ identifier: "OwnApi" })
export type OwnApi = typeof OwnApi.Type

/** An API as the operator sees it. */
export const OfferedApi = Schema.Struct({
  id: Schema.String,
  company: Schema.Struct({ id: Schema.String, name: Schema.String }),
  publisher_slug: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  status: ApiStatus,
  taken_down: Schema.NullOr(TakenDown),
  /** The number of companies subscribed to it. */
  subscribers: Schema.Number
})
export type OfferedApi = typeof OfferedApi.Type

/** Limits per API. With `QUOTA_APIS`, they bound the size of everything that others read. */
export const limits = { versions: 50, plans: 20 } as const

/** A version's part in descriptions, by section: JSON without outer brackets, since it is only concatenated. */
export type Sections = ReadonlyArray<string>

export const documentTooSlow = "openapi takes too long to check"

/** A segment of the gateway's paths, in the form of a DNS label. */
export const isSlug = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)

/** Such as `v2`, `2026-11-20` or `1.4.2`; never `..`. No `_`, which joins the parts of exported names. */
export const isVersionName = (text: string): boolean =>
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/.test(text)

/** The canonical http(s) base URL, without trailing slash, credentials, query and fragment, or undefined. */
export const upstreamBase = (text: string): string | undefined => {
  // The parser would accept spaces, control characters and lone surrogates, and treat a backslash as a slash.
  const url =
    text.length <= 2048 && /^https?:\/\/[^\s\\?#\p{Cc}\p{Cs}]+$/iu.test(text) ? URL.parse(text) : null
  return url === null || url.username !== "" || url.password !== "" || /@/.test(text.split("/")[2] ?? "")
    ? undefined
    : url.href.replace(/\/+$/, "")
}
