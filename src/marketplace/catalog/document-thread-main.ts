/** Entry point of the thread for documents. */
import { parentPort } from "node:worker_threads"
import { checkDocument } from "./openapi-check.ts"
import type { DocumentJob } from "./openapi-documents.ts"

parentPort?.on("message", ({ place, text }: DocumentJob) =>
  parentPort?.postMessage(checkDocument(text, place))
)
