import { Effect } from "effect"
import { TooManyRequests } from "../../limits/errors.ts"
import type { Words } from "./document-jobs.ts"
import { documentThread, type MostWaiting } from "./document-thread.ts"
import { DescriptionRefused } from "./errors.ts"
import type { VersionPlace } from "./exported-names.ts"
import type { Checked, StoredFragment } from "./fragment-model.ts"
import { type CheckFailure, checkFailures, documentTooSlow } from "./model.ts"

/** Maximum bytes of documents waiting for a check, of one company and of all. */
const mostDocuments: MostWaiting = { own: 16_777_216, all: 134_217_728 }

/** No bound is needed: descriptions are made one at a time, and each sends one job per publisher. */
const anyWords: MostWaiting = { own: Infinity, all: Infinity }

/** Minimum bytes that a document counts for: a waiting request holds more than its document. */
const leastSize = 4_096

const sizeOfText = (text: string): number => Math.max(leastSize, Buffer.byteLength(text))

/** Seconds after which a client may retry. */
const retryAfterSeconds = 5

/** The queue owner for checks of documents that were stored unchecked. */
const nobody = ""

/** Processes publishers' content in threads: a malicious text may block its thread, but nobody else. */
export class OpenApiDocuments extends Effect.Service<OpenApiDocuments>()("OpenApiDocuments", {
  scoped: Effect.gen(function* () {
    const checks = yield* documentThread("checks", mostDocuments)
    const words = yield* documentThread("words", anyWords)

    return {
      /**
       * Returns the document's part in the description. Fails with a sentence if the document (JSON) cannot
       * be published, and with `TooManyRequests` if too many bytes of the company's documents wait, or of all
       * companies' and no other company has more waiting.
       */
      check: (
        companyId: string,
        text: string,
        place: VersionPlace
      ): Effect.Effect<StoredFragment, DescriptionRefused | TooManyRequests> =>
        checks.run(companyId, sizeOfText(text), "check", { text, place }).pipe(
          Effect.catchTags({
            DocumentTooSlow: () => Effect.succeed({ problem: documentTooSlow }),
            DocumentTurnedAway: () => Effect.fail(new TooManyRequests({ retryAfterSeconds }))
          }),
          Effect.flatMap((checked) =>
            "fragment" in checked ? Effect.succeed(checked.fragment) : new DescriptionRefused(checked)
          )
        ),

      /** Like `check`. Also returns how the check failed, which is undefined if it did not begin. */
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

      /** The texts in order, empty beyond the shared budget. Undefined if that fails or takes too long. */
      withoutUpstreams: (
        publisherId: string,
        texts: ReadonlyArray<Words>
      ): Effect.Effect<ReadonlyArray<string> | undefined> =>
        texts.length === 0
          ? Effect.succeed([])
          : words.run(publisherId, leastSize, "words", { texts }).pipe(
              Effect.catchAll(() => Effect.succeed(undefined)),
              // A fault of the thread must not fail anybody's description.
              Effect.catchAllDefect((defect) =>
                Effect.logError("The texts of APIs could not be built", defect).pipe(Effect.as(undefined))
              )
            )
    }
  })
}) {}
