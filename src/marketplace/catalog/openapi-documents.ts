import { Worker } from "node:worker_threads"
import { Context, Effect } from "effect"
import { TooManyRequests } from "../../limits/errors.ts"
import { FairQueue } from "../../limits/fair-queue.ts"
import { type JobThread, jobThread } from "../../shared/job-thread.ts"
import { Timing } from "../../shared/timing.ts"
import { DescriptionRefused } from "./errors.ts"
import type { VersionPlace } from "./exported-names.ts"
import { documentTooSlow, type Sections } from "./model.ts"
import type { Checked } from "./openapi-check.ts"

/** A document, as JSON: text is cheap to transfer. */
export interface DocumentJob {
  readonly text: string
  readonly place: VersionPlace
}

/** The process's thread for documents. */
export class DocumentThread extends Context.Reference<DocumentThread>()(
  "doorlock/marketplace/DocumentThread",
  {
    defaultValue: (): JobThread<DocumentJob, Checked> =>
      jobThread(() => new Worker(new URL("document-thread-main.ts", import.meta.url)))
  }
) {}

/** Maximum bytes of documents waiting for a check, of one company and of all. */
const mostWaiting = { own: 16_777_216, all: 134_217_728 } as const

/** Minimum bytes that a document counts for: a waiting request holds more than its document. */
const leastSize = 4_096

/** Checks publishers' documents in a thread, which a large one keeps busy for some tenths of a second. */
export class OpenApiDocuments extends Effect.Service<OpenApiDocuments>()("OpenApiDocuments", {
  effect: Effect.gen(function* () {
    const { end, run } = yield* DocumentThread
    const { after, timeout } = yield* Timing
    const queue = new FairQueue({
      atOnce: 1,
      waiting: mostWaiting.all,
      timeout: timeout("marketplace.document_turn")
    })

    /** Keeps its turn until the thread is free again or has ended, so it cannot be interrupted. */
    const checked = (job: DocumentJob): Effect.Effect<Checked> =>
      Effect.promise(async () => {
        let isLate = false
        const deadline = after("marketplace.document", () => {
          isLate = true
          void end()
        })
        try {
          return await run(job)
        } catch (error) {
          if (!isLate) throw error
          await end()
          return { problem: documentTooSlow }
        } finally {
          deadline.cancel()
        }
      }).pipe(Effect.uninterruptible)

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
      ): Effect.Effect<Sections, DescriptionRefused | TooManyRequests> =>
        queue
          .inTurn(
            [{ name: companyId, waiting: mostWaiting.own }],
            checked({ text, place }),
            Math.max(leastSize, Buffer.byteLength(text))
          )
          .pipe(
            Effect.catchTag("NoTurn", () => Effect.fail(new TooManyRequests({ retryAfterSeconds: 5 }))),
            Effect.flatMap((result) =>
              "sections" in result ? Effect.succeed(result.sections) : new DescriptionRefused(result)
            )
          )
    }
  })
}) {}
