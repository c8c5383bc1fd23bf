/** Runs in a thread: checks and prepares the documents of publishers, one after the other. */
import { parentPort } from "node:worker_threads"
import { isJsonObject } from "../../model.ts"
import type { Asked, DocumentJobs, JobName, Told } from "./document-jobs.ts"
import { fragmentOf } from "./fragment.ts"
import { documentProblem } from "./openapi-check.ts"
import { validatorOf } from "./openapi-schema.ts"

const tell = (told: Told, handed: Array<ArrayBuffer> = []): void => parentPort?.postMessage(told, handed)

const outputOf = async (job: Asked): Promise<DocumentJobs[JobName]["output"]> => {
  if (job.name === "check") return documentProblem(job.text, job.upstreams)
  const document: unknown = JSON.parse(job.text)
  return fragmentOf(job.place, isJsonObject(document) ? document : null)
}

/** The memory of a fragment, which goes to the other thread without being copied. */
const buffersOf = (output: DocumentJobs[JobName]["output"]): Array<ArrayBuffer> =>
  typeof output === "object"
    ? [output.tags, output.paths, output.webhooks, ...output.components.values()].map(({ buffer }) => buffer)
    : []

const run = async (job: Asked): Promise<void> => {
  // The time that a document may take is not that of making the checks.
  if (job.name === "check") await Promise.all([validatorOf("3.0"), validatorOf("3.1")])
  tell({ is: "begun" })
  const output = await outputOf(job)
  tell({ is: "done", output }, buffersOf(output))
}

parentPort?.on("message", (job: Asked) => {
  run(job).catch((error: unknown) =>
    tell({ is: "failed", message: error instanceof Error ? String(error.stack) : String(error) })
  )
})
