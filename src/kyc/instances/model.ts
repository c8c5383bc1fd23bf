import * as Schema from "effect/Schema"
import { JsonObject, Timestamp } from "../../model.ts"

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

/** Whether a partner's address may be redirected to: absolute http or https, no credentials in it. */
export const isRedirectUrl = (address: string): boolean => {
  // The parser would forgive spaces, control characters and lone surrogates, and read a backslash as a slash,
  // which others do not; the address is passed on as it was given.
  const url =
    address.length <= 2048 && /^https?:\/\/[^\s\\\p{Cc}\p{Cs}]+$/iu.test(address) ? URL.parse(address) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
}
