import * as Effect from "effect/Effect"
import { TooManyRequests } from "../../limits/errors.ts"
import { documentThread } from "./document-thread.ts"
import { DescriptionRefused } from "./errors.ts"
import type { VersionPlace } from "./exported-names.ts"
import type { Fragment } from "./fragment.ts"
import { documentTooSlow } from "./model.ts"

/** Documents of a company that wait to be checked, at most, and of all companies. */
const maxWaiting = { own: 4, all: 256 } as const

/** Seconds after which another try is taken. */
const retryAfterSeconds = 5

/**
 * What is done with the documents of publishers, in a thread: a document may be made to keep whoever looks at it busy, and
 * nobody else is to notice.
 */
export class OpenApiDocuments extends Effect.Service<OpenApiDocuments>()("OpenApiDocuments", {
  scoped: Effect.map(documentThread, (thread) => ({
    /**
     * Fails when the document is none, or cannot be published, with a sentence that says why; and when too many of the company's
     * wait to be checked.
     *
     * @param text the document as JSON
     * @param upstreams where the version is served from
     */
    check: (
      companyId: string,
      text: string,
      upstreams: VersionPlace["upstreams"]
    ): Effect.Effect<void, DescriptionRefused | TooManyRequests> =>
      Effect.suspend((): Effect.Effect<void, DescriptionRefused | TooManyRequests> => {
        const { all, own } = thread.waiting(companyId)
        if (own >= maxWaiting.own || all >= maxWaiting.all) {
          return Effect.fail(new TooManyRequests({ retryAfterSeconds }))
        }
        return Effect.flatMap(
          Effect.catchTag(thread.run(companyId, "check", { text, upstreams }), "DocumentTooSlow", () =>
            Effect.succeed(documentTooSlow)
          ),
          (problem) => (problem === undefined ? Effect.void : new DescriptionRefused({ problem }))
        )
      }),

    /**
     * What a version has in the description; undefined when it is not made by the deadline.
     *
     * @param text its document as JSON, which `check` has accepted
     */
    fragment: (publisherId: string, text: string, place: VersionPlace): Effect.Effect<Fragment | undefined> =>
      Effect.catchTag(thread.run(publisherId, "fragment", { text, place }), "DocumentTooSlow", () =>
        Effect.succeed(undefined)
      )
  }))
}) {}
