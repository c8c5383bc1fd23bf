import { Data, Schema } from "effect"
import { JsonObject, Timestamp } from "../../shared/schemas.ts"

/** A company's verification flow: what its sessions ask for and how their page looks. */
export const Instance = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  public_key: Schema.String.annotations({
    description: "Names the instance when a session is created. It begins with `kyc_pk_` and is not secret."
  }),
  config: JsonObject.annotations({
    description:
      "How the hosted page looks and what it checks. Its JSON Schema is `/schemas/kyc-config.json`."
  }),
  workflow: JsonObject.annotations({
    description: "The steps that sessions go through. Its JSON Schema is `/schemas/kyc-workflow.json`."
  }),
  disabled_at: Schema.NullOr(Timestamp).annotations({
    description: "Since when no sessions can be created; null while the instance is enabled."
  }),
  created_at: Timestamp
}).annotations({ identifier: "KycInstance" })
export type Instance = typeof Instance.Type

/** Whether redirects to a partner's address are allowed: absolute, http or https, without credentials. */
export const isRedirectUrl = (address: string): boolean => {
  // The parser accepts spaces, control characters and lone surrogates, and reads a backslash as a slash. Other parsers
  // do not, and the address is passed on unchanged.
  const url =
    address.length <= 2048 && /^https?:\/\/[^\s\\\p{Cc}\p{Cs}]+$/iu.test(address) ? URL.parse(address) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
}

/** The instance does not exist for this caller, or is disabled. */
export class InstanceNotFound extends Data.TaggedError("InstanceNotFound") {}

/** The company has reached its quota of instances (`QUOTA_INSTANCES`). */
export class TooManyInstances extends Data.TaggedError("TooManyInstances")<{ readonly most: number }> {}

/** The instance belongs to another company than the key. */
export class InstanceForbidden extends Data.TaggedError("InstanceForbidden") {}
