import * as Effect from "effect/Effect"
import { TooManyRequests } from "../../limits/errors.ts"
import type { Words } from "./document-jobs.ts"
import { documentThread } from "./document-thread.ts"
import { DescriptionRefused } from "./errors.ts"
import type { VersionPlace } from "./exported-names.ts"
import type { Checked, StoredFragment } from "./fragment-model.ts"
import { type CheckFailure, checkFailures, documentTooSlow } from "./model.ts"

/** Bytes of a company's documents that wait to be checked, at most, and of all companies'. */
const maxWaiting = { own: 16_777_216, all: 134_217_728 } as const

/** Bytes that a document counts for, at least: a request that waits holds more than its document. */
const leastSize = 4_096

const sizeOfText = (text: string): number => Math.max(leastSize, Buffer.byteLength(text))

/** Seconds after which another try is taken. */
const retryAfterSeconds = 5

/** Whose turn it is when documents are checked that were stored unchecked. */
const nobody = ""

/**
 * What is done with what publishers write, in threads: a text may be made to keep whoever looks at it busy, and nobody else is
 * to notice.
 */
export class OpenApiDocuments extends Effect.Service<OpenApiDocuments>()("OpenApiDocuments", {
  scoped: Effect.gen(function* () {
    const checks = yield* documentThread("checks")
    const words = yield* documentThread("words")

    /** Whether there is room for the company's document, which those make who have more waiting than the company would have. */
    const hasRoom = (companyId: string, size: number): boolean => {
      for (;;) {
        const { all, most, own } = checks.waiting(companyId)
        if (own + size > maxWaiting.own) return false
        if (all + size <= maxWaiting.all) return true
        if (most <= own + size) return false
        checks.makeRoom()
      }
    }

    return {
      /**
       * What the document becomes in the description of published APIs. Fails when it is none, or cannot be published, with a
       * sentence that says why; and when too many bytes of the company's documents wait to be checked, or of all companies'
       * and no other has more waiting.
       *
       * @param text the document as JSON
       * @param place where its version is, and is served from
       */
      check: (
        companyId: string,
        text: string,
        place: VersionPlace
      ): Effect.Effect<StoredFragment, DescriptionRefused | TooManyRequests> =>
        Effect.suspend((): Effect.Effect<StoredFragment, DescriptionRefused | TooManyRequests> => {
          const size = sizeOfText(text)
          if (!hasRoom(companyId, size)) return Effect.fail(new TooManyRequests({ retryAfterSeconds }))
          return checks.run(companyId, size, "check", { text, place }).pipe(
            Effect.catchTags({
              DocumentTooSlow: () => Effect.succeed({ problem: documentTooSlow }),
              DocumentTurnedAway: () => Effect.fail(new TooManyRequests({ retryAfterSeconds }))
            }),
            Effect.flatMap((checked) =>
              "fragment" in checked ? Effect.succeed(checked.fragment) : new DescriptionRefused(checked)
            )
          )
        }),

      /** As `check`, for a document that is stored already; or how the check failed, undefined when it was not begun. */
      checkStored: (
        text: string,
        place: VersionPlace
      ): Effect.Effect<Checked | { readonly failure: CheckFailure | undefined }> =>
        checks.run(nobody, sizeOfText(text), "check", { text, place }).pipe(
          Effect.catchTags({
            DocumentTooSlow: () => Effect.succeed({ failure: checkFailures.tooSlow }),
            DocumentTurnedAway: () => Effect.succeed({ failure: undefined })
          }),
          Effect.catchAllDefect((defect) =>
            Effect.logWarning("A stored document could not be checked", defect).pipe(
              Effect.as({ failure: checkFailures.broken })
            )
          )
        ),

      /**
       * The publisher's texts, of some kilobytes each, without upstreams, in their order; undefined when that is not done in time, or
       * fails. Those are empty for which no steps, or bytes, are left of what all together may take.
       */
      withoutUpstreams: (
        publisherId: string,
        texts: ReadonlyArray<Words>
      ): Effect.Effect<ReadonlyArray<string> | undefined> =>
        texts.length === 0
          ? Effect.succeed([])
          : words.run(publisherId, 0, "words", { texts }).pipe(
              Effect.catchAll(() => Effect.succeed(undefined)),
              // Nobody's description depends on what made the thread fail.
              Effect.catchAllDefect((defect) =>
                Effect.logError("The words of APIs could not be made", defect).pipe(Effect.as(undefined))
              )
            )
    }
  })
}) {}
