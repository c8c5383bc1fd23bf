/** Runs in a thread: looks at what publishers write, one piece after the other. */
import { parentPort } from "node:worker_threads"
import { AllowanceSpent, stepsOfDocument } from "./allowance.ts"
import type { Asked, DocumentJobs, JobName, Told, Words } from "./document-jobs.ts"
import { checkDocument } from "./openapi-check.ts"
import { validatorOf } from "./openapi-schema.ts"
import { withoutUpstreams } from "./upstream-traces.ts"

const tell = (told: Told): void => parentPort?.postMessage(told)

/** Nothing of a text that would take too many steps: what it names stays unknown. */
const withoutNames = ({ places, text }: Words): string => {
  try {
    return withoutUpstreams(places, stepsOfDocument())(text)
  } catch (error) {
    if (error instanceof AllowanceSpent) return ""
    throw error
  }
}

const outputOf = async (job: Asked): Promise<DocumentJobs[JobName]["output"]> =>
  job.name === "check" ? checkDocument(job.text, job.place) : job.texts.map(withoutNames)

const run = async (job: Asked): Promise<void> => {
  // The time that a document may take is not that of making the checks.
  if (job.name === "check") await Promise.all([validatorOf("3.0"), validatorOf("3.1")])
  tell({ is: "begun" })
  tell({ is: "done", output: await outputOf(job) })
}

parentPort?.on("message", (job: Asked) => {
  run(job).catch((error: unknown) =>
    tell({ is: "failed", message: error instanceof Error ? String(error.stack) : String(error) })
  )
})
