import { type Json, object, text } from "../../json.ts"
import { type PageConfig, readConfig } from "../instances/config.ts"
import { readWorkflow, type Workflow } from "../instances/workflow.ts"
import { sha256 } from "../sha256.ts"

export interface Session {
  readonly id: string
  readonly test: boolean
  readonly finished: boolean
  /** Milliseconds since 1970, by the browser's clock. */
  readonly expiresAt: number
  readonly progress: Json
  readonly config: PageConfig
  readonly workflow: Workflow
  /** Of the workflow as received. */
  readonly workflowHash: string
  /** Of key hashes: the config's, or else the company. The server separates companies anyway. */
  readonly dedupScope: string
  /** The audience of captcha tokens. */
  readonly siteKey: string
}

export const isFinished = (status: unknown): boolean => status !== "created" && status !== "running"

/** `ahead`: how far the server's clock is ahead of the browser's, in milliseconds. */
export const readSession = (id: string, given: Json, ahead: number): Session => {
  const config = readConfig(object(given.instance_config))
  const workflow = object(given.instance_workflow)
  return {
    id,
    test: given.mode === "dev",
    finished: isFinished(given.status),
    expiresAt: Date.parse(text(given.expires_at) ?? "") - ahead,
    progress: object(given.progress),
    config,
    workflow: readWorkflow(workflow),
    workflowHash: sha256(JSON.stringify(workflow)),
    dedupScope: config.dedup.scope ?? text(given.company_id) ?? "",
    siteKey: config.captcha.siteKey ?? text(given.instance_id) ?? ""
  }
}
