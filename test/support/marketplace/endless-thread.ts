/**
 * Stands in for the document thread. A job that contains the word "endless" never finishes, "broken" reports
 * a failure, and "crash" crashes the thread. Any other job succeeds.
 */
import { parentPort } from "node:worker_threads"
import type { Asked } from "../../../src/marketplace/catalog/document-jobs.ts"

parentPort?.on("message", (job: Asked) => {
  const text = JSON.stringify(job)
  parentPort?.postMessage({ is: "begun" })
  if (text.includes("broken")) return parentPort?.postMessage({ is: "failed", message: "broken" })
  if (text.includes("crash")) throw new Error("crashed")
  while (text.includes("endless"));
  const output =
    job.name === "check" ? { fragment: { content: "", lengths: [] } } : job.texts.map((words) => words.text)
  parentPort?.postMessage({ is: "done", output })
})
