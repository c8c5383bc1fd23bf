import * as Schema from "effect/Schema"
import { isJsonObject, JsonObject, Timestamp } from "../../model.ts"

/** A verification flow of a company: what its sessions ask for and how their page looks. */
export const Instance = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  public_key: Schema.String,
  config: JsonObject,
  workflow: JsonObject,
  disabled_at: Schema.NullOr(Timestamp),
  created_at: Timestamp
}).annotations({ identifier: "KycInstance" })
export type Instance = typeof Instance.Type

/** What the server itself reads of an instance's config; everything else in it is for the page. */
export interface ServerConfig {
  readonly captcha: { readonly siteKey: string | undefined; readonly minScore: number | undefined }
  readonly redirect: { readonly successUrl: string | undefined; readonly failureUrl: string | undefined }
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** Reads the parts the server acts on; a part of another shape counts as not there. */
export const serverConfig = (config: JsonObject): ServerConfig => {
  const captcha = isJsonObject(config.captcha) ? config.captcha : {}
  const redirect = isJsonObject(config.redirect) ? config.redirect : {}
  return {
    captcha: {
      siteKey: text(captcha.siteKey),
      minScore: typeof captcha.minScore === "number" ? captcha.minScore : undefined
    },
    redirect: { successUrl: text(redirect.successUrl), failureUrl: text(redirect.failureUrl) }
  }
}

/** Whether a partner's address may be redirected to: absolute http or https, no credentials in it. */
export const isRedirectUrl = (address: string): boolean => {
  // The parser would forgive spaces, control characters and lone surrogates, and read a backslash as a slash,
  // which others do not; the address is passed on as it was given.
  const url =
    address.length <= 2048 && /^https?:\/\/[^\s\\\p{Cc}\p{Cs}]+$/iu.test(address) ? URL.parse(address) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
}

const optional = (value: unknown, holds: (value: unknown) => boolean) =>
  value === undefined || value === null || holds(value)

/** The first thing wrong with the parts of a config that the server acts on, as a sentence. */
export const configProblem = (config: JsonObject): string | undefined => {
  const { captcha = {}, redirect = {} } = config
  if (!isJsonObject(captcha)) return "config.captcha must be an object"
  if (!isJsonObject(redirect)) return "config.redirect must be an object"
  if (!optional(captcha.siteKey, (value) => typeof value === "string")) {
    return "config.captcha.siteKey must be a string"
  }
  if (!optional(captcha.minScore, (value) => typeof value === "number" && value >= 0 && value <= 1)) {
    return "config.captcha.minScore must be a number from 0 to 1"
  }
  for (const name of ["successUrl", "failureUrl"] as const) {
    if (!optional(redirect[name], (value) => typeof value === "string" && isRedirectUrl(value))) {
      return `config.redirect.${name} must be an http or https URL`
    }
  }
  return undefined
}

/** The ids of the workflow's steps that a session must have gone through. */
export const requiredSteps = (workflow: JsonObject): ReadonlyArray<string> => {
  const steps = Array.isArray(workflow.steps) ? workflow.steps : []
  return steps.filter(isJsonObject).flatMap(({ id, optional, type }) => {
    // A captcha is proved on the server, and a review asks for nothing of its own.
    const asksForData = type !== "captcha" && type !== "review"
    return typeof id === "string" && optional !== true && asksForData ? [id] : []
  })
}
