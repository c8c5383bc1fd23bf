/** The request bodies of publishing, and the messages for invalid ones. */

import { identity, Schema } from "effect"
import {
  integer,
  objectText,
  optionalNullable,
  parsedText,
  refusing,
  required,
  storable,
  trimmedText
} from "../../http/contract/fields.ts"
import { isSlug, isVersionName, upstreamBase } from "./model.ts"
import { isClearName, showsSomething } from "./names-model.ts"

const formed = (field: string, isFormed: (text: string) => boolean, form: string, description: string) =>
  required(
    refusing(Schema.String, `${field} is required`).pipe(
      Schema.filter((text) => text !== "", { message: () => `${field} is required` }),
      Schema.filter(isFormed, {
        jsonSchema: { description: `${description}: ${form}.` },
        message: () => `${field} must be ${form}, with a letter or digit at each end`
      })
    )
  )

const Slug = formed(
  "slug",
  isSlug,
  "1 to 63 lower-case letters, digits and hyphens",
  "Part of the gateway paths, so it cannot be changed later"
)

const nameText = (message?: string) =>
  trimmedText("name", 200, message).pipe(
    Schema.filter(isClearName, {
      message: () => "name must not mix scripts within a word or have invisible characters"
    })
  )

const Name = required(nameText())

const Description = optionalNullable(
  refusing(
    Schema.String.pipe(Schema.maxLength(10_000)),
    "description must be a string of at most 10000 characters"
  ).pipe(storable("description"))
).annotations({
  description: "What the API does, for those who may subscribe. Default when it is created: empty."
})

const upstreamUrl = (field: string) =>
  refusing(
    parsedText(Schema.String, upstreamBase, identity, { format: "uri", maxLength: 2048 }),
    `${field} must be an http or https URL of at most 2048 characters without credentials, query and fragment`
  )

export const BecomePublisher = Schema.Struct({ slug: Slug, name: Name }).annotations({
  identifier: "BecomePublisher"
})

export const CreateApi = Schema.Struct({
  slug: Slug,
  name: Name,
  description: Description
}).annotations({ identifier: "CreateApi" })

export const ChangeApi = Schema.Struct({
  name: optionalNullable(nameText("name must not be empty")).annotations({
    description: "The new name. Without it, the name stays as it is."
  }),
  description: Description
}).annotations({ identifier: "ChangeApi" })

/** Stored as JSON text while it waits for its check, since text takes a fraction of the memory. */
const Document = objectText("openapi")

export const CreateVersion = Schema.Struct({
  version: formed(
    "version",
    isVersionName,
    "1 to 64 letters, digits, dots and hyphens",
    "Its name, which is part of its gateway path"
  ),
  upstreamUrl: required(
    upstreamUrl("upstreamUrl").annotations({
      description: "Where the gateway sends calls. Only your company sees it."
    })
  ),
  sandboxUpstreamUrl: optionalNullable(upstreamUrl("sandboxUpstreamUrl")).annotations({
    description: "Where it sends calls with test keys. Without it, they also go to `upstreamUrl`."
  }),
  timeoutSeconds: optionalNullable(integer("timeoutSeconds", 1, 300)).annotations({
    description: "How long the gateway waits for the upstream's response to begin. Default: 30."
  }),
  openapi: optionalNullable(Document).annotations({
    description: "The OpenAPI 3.0 or 3.1 document of the version, for the catalog."
  })
}).annotations({ identifier: "CreateApiVersion" })

/** Why the operator takes an API down. No route accepts it. */
export const TakedownReason = trimmedText("reason", 1000).pipe(
  Schema.filter(showsSomething, { message: () => "reason is required" })
)

export const CreatePlan = Schema.Struct({
  name: Name,
  requestsPerMinute: optionalNullable(integer("requestsPerMinute", 1, 1_000_000_000)).annotations({
    description: "The most calls of a subscriber in any 60 seconds. Without it, unlimited."
  }),
  requestsPerMonth: optionalNullable(integer("requestsPerMonth", 1, 1_000_000_000_000)).annotations({
    description: "The most calls of a subscriber in a calendar month (UTC). Without it, unlimited."
  })
}).annotations({ identifier: "CreateApiPlan" })
