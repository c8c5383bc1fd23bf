import * as Data from "effect/Data"

/** No such API, or not one that the caller may know of: unpublished, or another publisher's. */
export class ApiNotFound extends Data.TaggedError("ApiNotFound") {}

/** The company is no publisher, and looked for itself as one. */
export class PublisherNotFound extends Data.TaggedError("PublisherNotFound") {}

/** What was asked for only a publisher may do. */
export class NotAPublisher extends Data.TaggedError("NotAPublisher") {}

/** A company is one publisher at most. */
export class AlreadyAPublisher extends Data.TaggedError("AlreadyAPublisher") {}

/** The slug pretends to be somebody, and is for nobody to have. */
export class SlugReserved extends Data.TaggedError("SlugReserved") {}

/** The slug looks like another publisher's. */
export class SlugTooSimilar extends Data.TaggedError("SlugTooSimilar") {}

/** Another publisher has the slug, or another API of the publisher. */
export class SlugTaken extends Data.TaggedError("SlugTaken") {}

/** The operator took the API off the market, and has not allowed it again. */
export class ApiTakenDown extends Data.TaggedError("ApiTakenDown") {}

export class VersionExists extends Data.TaggedError("VersionExists") {}

export class PlanNameTaken extends Data.TaggedError("PlanNameTaken") {}

/** The publisher has as many as it may have (`QUOTA_APIS`). */
export class TooManyApis extends Data.TaggedError("TooManyApis")<{ readonly most: number }> {}

/** There are as many as there may be (`limits` of the model). */
export class TooManyVersions extends Data.TaggedError("TooManyVersions") {}
export class TooManyPlans extends Data.TaggedError("TooManyPlans") {}

/** What was given as a description of the API is none, or one that cannot be published. */
export class DescriptionRefused extends Data.TaggedError("DescriptionRefused")<{
  /** The place in the document and the rule, as a sentence. */
  readonly problem: string
}> {}

/** The gateway would not dial an upstream: its host is, or resolves to, a private address, or its port is of another protocol. */
export class UpstreamRefused extends Data.TaggedError("UpstreamRefused")<{
  readonly field: "upstreamUrl" | "sandboxUpstreamUrl"
  readonly objection: "address" | "port"
}> {}
