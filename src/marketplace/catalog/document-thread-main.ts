/** Runs in a thread: processes publishers' content, one job after the other. */
import { parentPort } from "node:worker_threads"
import { AllowanceSpent, bytesOfWords, stepsOfWords } from "./allowance.ts"
import type { Asked, DocumentJobs, JobName, Told, Words } from "./document-jobs.ts"
import { checkDocument } from "./openapi-check.ts"
import { validatorOf } from "./openapi-schema.ts"
import { withoutUpstreams } from "./upstream-traces.ts"

const tell = (told: Told): void => parentPort?.postMessage(told)

/** A text is empty if no steps or bytes are left for it: nobody has checked which hosts it names. */
const withoutNames = (texts: ReadonlyArray<Words>): ReadonlyArray<string> => {
  const steps = stepsOfWords()
  const bytes = bytesOfWords()
  return texts.map(({ places, text }) => {
    try {
      const made = withoutUpstreams(places, steps)(text)
      bytes.take(Buffer.byteLength(made))
      return made
    } catch (error) {
      if (error instanceof AllowanceSpent) return ""
      throw error
    }
  })
}

const outputOf = async (job: Asked): Promise<DocumentJobs[JobName]["output"]> =>
  job.name === "check" ? checkDocument(job.text, job.place) : withoutNames(job.texts)

const run = async (job: Asked): Promise<void> => {
  // Loaded first, because a document's deadline does not include compiling the checks.
  if (job.name === "check") await Promise.all([validatorOf("3.0"), validatorOf("3.1")])
  tell({ is: "begun" })
  tell({ is: "done", output: await outputOf(job) })
}

parentPort?.on("message", (job: Asked) => {
  run(job).catch((error: unknown) =>
    tell({ is: "failed", message: error instanceof Error ? String(error.stack) : String(error) })
  )
})
