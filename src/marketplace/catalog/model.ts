import * as Schema from "effect/Schema"
import { Timestamp } from "../../model.ts"

/** Told to all processes when an API is published or unpublished, or gets a version; the message is the API's id. */
export const apiChangedTopic = "api-changed"

/** Told along with every `apiChangedTopic`; the message is `catalogName`. */
export const catalogChangedTopic = "catalog-changed"

/** Told along with `apiChangedTopic` when an API is no longer published; the message is its id. */
export const apiWithdrawnTopic = "api-withdrawn"

/** Told when an API gets a plan, which no description has in it; the message is `catalogName`. */
export const plansChangedTopic = "api-plans-changed"

/** What the catalog as a whole is called in messages; no API has such an id. */
export const catalogName = "all"

/** A company that publishes APIs. */
export const Publisher = Schema.Struct({
  id: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  created_at: Timestamp
}).annotations({ identifier: "Publisher" })
export type Publisher = typeof Publisher.Type

/** A version as everybody may see it: where it is served from is the publisher's own matter. */
export const ApiVersion = Schema.Struct({
  id: Schema.String,
  version: Schema.String,
  created_at: Timestamp
}).annotations({ identifier: "ApiVersion" })
export type ApiVersion = typeof ApiVersion.Type

/** What a subscriber may call an API for; null is unlimited. */
export const ApiPlan = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  requests_per_minute: Schema.NullOr(Schema.Number),
  requests_per_month: Schema.NullOr(Schema.Number)
}).annotations({ identifier: "ApiPlan" })
export type ApiPlan = typeof ApiPlan.Type

const common = {
  id: Schema.String,
  publisher_slug: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  description: Schema.String
}

/** A published API, its newest version first. */
export const ListedApi = Schema.Struct({
  ...common,
  versions: Schema.Array(ApiVersion),
  plans: Schema.Array(ApiPlan)
}).annotations({ identifier: "ListedApi" })
export type ListedApi = typeof ListedApi.Type

const ApiStatus = Schema.Literal("draft", "published")

/** When and why the operator took an API off the market. */
const TakenDown = Schema.Struct({ at: Timestamp, reason: Schema.String }).annotations({
  identifier: "ApiTakenDown"
})

/** An API as its publisher has just made it: there is nothing in it yet. */
export const NewApi = Schema.Struct({
  ...common,
  status: ApiStatus,
  versions: Schema.Array(ApiVersion),
  plans: Schema.Array(ApiPlan)
}).annotations({ identifier: "NewApi" })
export type NewApi = typeof NewApi.Type

const OwnApiVersion = Schema.Struct({
  ...ApiVersion.fields,
  upstream_url: Schema.String,
  sandbox_upstream_url: Schema.NullOr(Schema.String),
  timeout_seconds: Schema.Number,
  has_openapi: Schema.Boolean
}).annotations({ identifier: "OwnApiVersion" })

/** An API as its publisher sees it, a draft or published, with its upstreams. */
export const OwnApi = Schema.Struct({
  ...common,
  status: ApiStatus,
  taken_down: Schema.NullOr(TakenDown).annotations({
    description: "Why the operator took it off the market. It cannot be published while this is not null."
  }),
  versions: Schema.Array(OwnApiVersion),
  plans: Schema.Array(ApiPlan)
}).annotations({ identifier: "OwnApi" })
export type OwnApi = typeof OwnApi.Type

/** An API as whoever runs the service sees it. */
export const OfferedApi = Schema.Struct({
  id: Schema.String,
  company: Schema.Struct({ id: Schema.String, name: Schema.String }),
  publisher_slug: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  status: ApiStatus,
  taken_down: Schema.NullOr(TakenDown),
  /** Companies that are subscribed to it. */
  subscribers: Schema.Number
})
export type OfferedApi = typeof OfferedApi.Type

/** How many an API may have; what others read stays of a bounded size by them, and by `QUOTA_APIS`. */
export const limits = { versions: 50, plans: 20 } as const

/**
 * Which revision of the check made what is stored of a document. One more with each change of what is made of documents, or of
 * which are refused: those stored before are then checked again.
 */
export const fragmentRevision = 4

/**
 * The oldest revision whose fragments are served until a document has been checked again. Raise it where those of earlier ones must not
 * be: what the first made may break the description that all publishers share.
 */
export const oldestServedRevision = 3

/** Why a document is refused whose check did not end in time. */
export const documentTooSlow = "openapi takes too long to check"

/** How often it is tried to check a stored document; then it is set aside. */
export const maxTries = 5

/** How a check of a stored document ended, other than well. */
export const checkFailures = {
  tooSlow: documentTooSlow,
  broken: "the check broke",
  unended: "the process that checked it ended"
} as const
export type CheckFailure = (typeof checkFailures)[keyof typeof checkFailures]

/** A segment of the gateway's paths, as a DNS label is: lower-case letters, digits and hyphens. */
export const isSlug = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)

/**
 * A segment of the gateway's paths such as `1`, `v2`, `2026-11-20` or `1.4.2`. Of the unreserved characters of RFC 3986
 * neither `_`, which joins the parts of a component's name in the exported description, nor `~`. Never `.` or `..`.
 */
export const isVersionName = (text: string): boolean =>
  /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/.test(text)

/**
 * The canonical form of an upstream's base URL, without a slash at its end, or undefined when it is none: absolute http or
 * https of at most 2048 characters, without credentials, query and fragment.
 */
export const upstreamBase = (text: string): string | undefined => {
  // The parser would forgive spaces, control characters and lone surrogates, and read a backslash as a slash.
  const url =
    text.length <= 2048 && /^https?:\/\/[^\s\\?#\p{Cc}\p{Cs}]+$/iu.test(text) ? URL.parse(text) : null
  return url === null || url.username !== "" || url.password !== "" || /@/.test(text.split("/")[2] ?? "")
    ? undefined
    : url.href.replace(/\/+$/, "")
}

/** Where the gateway serves a version, below its own address. */
export const gatewayPath = (place: {
  readonly publisherSlug: string
  readonly apiSlug: string
  readonly version: string
}): string => `/${place.publisherSlug}/${place.apiSlug}/v/${place.version}`
