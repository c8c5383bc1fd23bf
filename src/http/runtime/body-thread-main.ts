/** Entry point of the body thread. */
import { parentPort } from "node:worker_threads"
import { apart } from "./body-apart.ts"
import type { BodyJob } from "./body-thread.ts"

parentPort?.on("message", ({ bytes, fields }: BodyJob) => parentPort?.postMessage(apart(bytes, fields)))
