import { Data } from "effect"

/** The API does not exist, or the caller may not see it: it is unpublished or another publisher's. */
export class ApiNotFound extends Data.TaggedError("ApiNotFound") {}

/** The company asked for its own publisher, but is not one. */
export class PublisherNotFound extends Data.TaggedError("PublisherNotFound") {}

/** Only a publisher may do this. */
export class NotAPublisher extends Data.TaggedError("NotAPublisher") {}

/** A company can be only one publisher. */
export class AlreadyAPublisher extends Data.TaggedError("AlreadyAPublisher") {}

/** Nobody may have this slug, because it impersonates somebody. */
export class SlugReserved extends Data.TaggedError("SlugReserved") {}

/** Another publisher has the slug, or another API of this publisher. */
export class SlugTaken extends Data.TaggedError("SlugTaken") {}

/** The operator has taken the API down and not allowed it again. */
export class ApiTakenDown extends Data.TaggedError("ApiTakenDown") {}

export class VersionExists extends Data.TaggedError("VersionExists") {}

export class PlanNameTaken extends Data.TaggedError("PlanNameTaken") {}

/** The publisher has reached its limit of APIs (`QUOTA_APIS`). */
export class TooManyApis extends Data.TaggedError("TooManyApis")<{ readonly most: number }> {}

/** The API has reached its limit of versions (`limits` of the model). */
export class TooManyVersions extends Data.TaggedError("TooManyVersions") {}
export class TooManyPlans extends Data.TaggedError("TooManyPlans") {}

/** The text is not an OpenAPI document, or not one that can be published. */
export class DescriptionRefused extends Data.TaggedError("DescriptionRefused")<{
  /** A sentence with the place in the document and the violated rule. */
  readonly problem: string
}> {}

/** The upstream's host is, or resolves to, a private address, or its port belongs to another protocol. */
export class UpstreamRefused extends Data.TaggedError("UpstreamRefused")<{
  readonly field: "upstreamUrl" | "sandboxUpstreamUrl"
  readonly objection: "address" | "port"
}> {}
