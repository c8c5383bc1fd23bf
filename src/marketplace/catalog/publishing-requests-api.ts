/** The request bodies of publishing, and the messages for invalid ones. */

import { Schema } from "effect"
import {
  objectText,
  optionalNullable,
  refusing,
  required,
  trimmedText,
  unstorableText
} from "../../http/contract/fields.ts"
import { isStorableText } from "../../shared/storable.ts"
import { isSlug, isVersionName, upstreamBase } from "./model.ts"
import { isClearName, showsSomething } from "./names-model.ts"

const urlRule =
  "must be an http or https URL of at most 2048 characters without credentials, query and fragment"

/** The messages for invalid fields. */
export const messages = {
  slug: "slug is required",
  slugForm: "slug must be 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at each end",
  name: "name is required",
  nameEmpty: "name must not be empty",
  nameLong: "name must be at most 200 characters",
  nameUnclear: "name must not mix scripts within a word or have invisible characters",
  description: "description must be a string of at most 10000 characters",
  version: "version is required",
  versionForm:
    "version must be 1 to 64 letters, digits, dots and hyphens, with a letter or digit at each end",
  upstreamUrl: `upstreamUrl ${urlRule}`,
  sandboxUpstreamUrl: `sandboxUpstreamUrl ${urlRule}`,
  timeoutSeconds: "timeoutSeconds must be a whole number from 1 to 300",
  openapi: "openapi must be an object",
  requestsPerMinute: "requestsPerMinute must be a whole number from 1 to 1000000000",
  requestsPerMonth: "requestsPerMonth must be a whole number from 1 to 1000000000000"
} as const

const formed = (missing: string, isFormed: (text: string) => boolean, form: string) =>
  required(
    refusing(Schema.String, missing).pipe(
      Schema.filter((text) => text !== "", { message: () => missing }),
      Schema.filter(isFormed, { message: () => form })
    ),
    missing
  )

const Slug = formed(messages.slug, isSlug, messages.slugForm)

const nameText = (message: string) =>
  trimmedText({ field: "name", message, maxLength: 200, tooLong: messages.nameLong }).pipe(
    Schema.filter(isClearName, { message: () => messages.nameUnclear })
  )

const Name = required(nameText(messages.name), messages.name)

const Description = optionalNullable(
  refusing(Schema.String.pipe(Schema.maxLength(10_000)), messages.description).pipe(
    Schema.filter(isStorableText, { message: () => unstorableText("description") })
  )
)

const UpstreamUrl = (message: string) =>
  refusing(
    Schema.transform(
      Schema.String.pipe(
        Schema.filter((text) => upstreamBase(text) !== undefined, {
          jsonSchema: { format: "uri", maxLength: 2048 }
        })
      ),
      Schema.String,
      { strict: true, decode: (text) => upstreamBase(text) ?? text, encode: (text) => text }
    ),
    message
  )

const whole = (most: number, message: string) =>
  optionalNullable(refusing(Schema.Int.pipe(Schema.between(1, most)), message))

export const BecomePublisher = Schema.Struct({ slug: Slug, name: Name }).annotations({
  identifier: "BecomePublisher"
})

export const CreateApi = Schema.Struct({
  slug: Slug,
  name: Name,
  description: Description
}).annotations({ identifier: "CreateApi" })

export const ChangeApi = Schema.Struct({
  name: optionalNullable(nameText(messages.nameEmpty)),
  description: Description
}).annotations({ identifier: "ChangeApi" })

/** Stored as JSON text while it waits for its check, since text takes a fraction of the memory. */
const Document = objectText("openapi", messages.openapi)

export const CreateVersion = Schema.Struct({
  version: formed(messages.version, isVersionName, messages.versionForm),
  upstreamUrl: required(UpstreamUrl(messages.upstreamUrl), messages.upstreamUrl),
  sandboxUpstreamUrl: optionalNullable(UpstreamUrl(messages.sandboxUpstreamUrl)),
  timeoutSeconds: whole(300, messages.timeoutSeconds),
  openapi: optionalNullable(Document)
}).annotations({ identifier: "CreateApiVersion" })

/** Why the operator takes an API off the market. No route accepts it. */
export const TakedownReason = trimmedText({
  field: "reason",
  message: "reason is required",
  maxLength: 1000,
  tooLong: "reason must be at most 1000 characters"
}).pipe(Schema.filter(showsSomething, { message: () => "reason is required" }))

export const CreatePlan = Schema.Struct({
  name: Name,
  requestsPerMinute: whole(1_000_000_000, messages.requestsPerMinute),
  requestsPerMonth: whole(1_000_000_000_000, messages.requestsPerMonth)
}).annotations({ identifier: "CreateApiPlan" })
