import { type Json, object, text } from "../../json.ts"
import { readConfig } from "../instances/config.ts"
import { readWorkflow } from "../instances/workflow.ts"
import { sha256 } from "../sha256.ts"

export const isFinished = (status: unknown): boolean => status !== "created" && status !== "running"

/** `ahead`: how far the server's clock is ahead of the browser's, in milliseconds. */
export const readSession = (id: string, given: Json, ahead: number) => {
  const config = readConfig(object(given.instance_config))
  const workflow = object(given.instance_workflow)
  return {
    id,
    test: given.mode === "dev",
    finished: isFinished(given.status),
    /** This page sends a result when the end user stops. The company cancels a session without one. */
    calledOff: given.status === "cancelled" && (given.result ?? null) === null,
    /** Milliseconds since 1970, by the browser's clock. */
    expiresAt: Date.parse(text(given.expires_at) ?? "") - ahead,
    progress: object(given.progress),
    config,
    workflow: readWorkflow(workflow),
    instance: text(given.instance_id) ?? "",
    /** Of the workflow as received. */
    workflowHash: sha256(JSON.stringify(workflow)),
    /** The scope of key hashes. The server separates companies anyway. */
    dedupScope: config.dedup.scope ?? text(given.company_id) ?? "",
    /** The audience of captcha tokens. */
    siteKey: config.captcha.siteKey ?? text(given.instance_id) ?? ""
  }
}

export type Session = ReturnType<typeof readSession>
