/**
 * Stands in for the thread for documents. A document with the word "endless" never finishes, and "crash" crashes the
 * thread. Any other is good.
 */
import { parentPort } from "node:worker_threads"
import type { DocumentJob } from "../../../src/marketplace/catalog/openapi-documents.ts"

parentPort?.on("message", ({ text }: DocumentJob) => {
  if (text.includes("crash")) throw new Error("crashed")
  while (text.includes("endless"));
  parentPort?.postMessage({ sections: [] })
})
