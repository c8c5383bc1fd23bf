/** A session as the page works with it: config and workflow read, times by the browser's own clock. */

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
  /** Of the workflow as it came. */
  readonly workflowHash: string
  /** What key hashes are made under: the config's scope, or else the company, to which the server keeps them anyway. */
  readonly dedupScope: string
  /** Whom captcha tokens are for: the config's key, or else the instance itself, which every session names. */
  readonly siteKey: string
}

/** @param ahead milliseconds that the server's clock is ahead of the browser's */
export const readSession = (id: string, given: Json, ahead: number): Session => {
  const config = readConfig(object(given.instance_config))
  const workflow = object(given.instance_workflow)
  return {
    id,
    test: given.mode === "dev",
    finished: given.status !== "created" && given.status !== "running",
    expiresAt: Date.parse(text(given.expires_at) ?? "") - ahead,
    progress: object(given.progress),
    config,
    workflow: readWorkflow(workflow),
    workflowHash: sha256(JSON.stringify(workflow)),
    dedupScope: config.dedup.scope ?? text(given.company_id) ?? "",
    siteKey: config.captcha.siteKey ?? text(given.instance_id) ?? ""
  }
}
