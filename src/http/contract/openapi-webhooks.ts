/** `webhooks` of the OpenAPI document: the requests that the service sends to its users' endpoints. */
import { Context, Option, type Schema, SchemaAST } from "effect"
import type { Json } from "./openapi-json.ts"

interface Webhook {
  readonly description: string
  /** The body. Its identifier becomes the name of a component. */
  readonly schema: Schema.Schema.Any
  readonly example: unknown
}

/** An annotation of the API: what it sends, by type of event. */
export class Webhooks extends Context.Tag("doorlock/http/Webhooks")<
  Webhooks,
  Readonly<Record<string, Webhook>>
>() {}

export const webhooksOf = (annotations: Context.Context<never>): Webhooks["Type"] =>
  Option.getOrElse(Context.getOption(annotations, Webhooks), () => ({}))

/** The title of the routes by which companies manage their endpoints. */
const tag = "Webhooks"

interface Header {
  readonly description: string
  readonly type: "string" | "integer"
  readonly required: boolean
}

/** Of Standard Webhooks 1.0.0, and the number of a delivery, which other requests do not have. */
const headers: Readonly<Record<string, Header>> = {
  "webhook-id": {
    description:
      "The id of the event: the same for each attempt, so that a receiver can recognize duplicates.",
    type: "string",
    required: true
  },
  "webhook-timestamp": {
    description:
      "When this attempt began, in seconds since 1970. Refuse an attempt that is more than five minutes off.",
    type: "string",
    required: true
  },
  "webhook-signature": {
    description:
      "One or more signatures, separated by spaces: `v1,` and the base64 of the HMAC-SHA-256, or `v1a,` and that of the ed25519 signature, of `{webhook-id}.{webhook-timestamp}.{body}`.",
    type: "string",
    required: true
  },
  "doorlock-sequence": {
    description:
      "The number of the delivery within its endpoint: 1, 2, 3 and so on, without gaps, in the order of the feed. The requests of a drill have none.",
    type: "integer",
    required: false
  },
  "doorlock-sequence-signature": {
    description: "Like `webhook-signature`, but of `{webhook-id}.{webhook-timestamp}.{doorlock-sequence}`.",
    type: "string",
    required: false
  }
}

/** Components, to which each webhook refers. */
export const webhookParameters: Json = Object.fromEntries(
  Object.entries(headers).map(([name, { description, required, type }]) => [
    name,
    { name, in: "header", required, description, schema: { type } }
  ])
)

const responses = {
  "2XX": { description: "Received. Any 2xx within 15 seconds; the body is ignored." },
  "410": { description: "No longer wanted: doorlock disables the endpoint." },
  default: { description: "A failure; redirects count as one. doorlock sends the event again later." }
}

export const describeWebhooks = (webhooks: Webhooks["Type"]): Json =>
  Object.fromEntries(
    Object.entries(webhooks).map(([type, { description, example, schema }]) => {
      const name = Option.getOrElse(SchemaAST.getJSONIdentifier(schema.ast), () => type)
      const content = { schema: { $ref: `#/components/schemas/${name}` }, example }
      return [
        type,
        {
          post: {
            tags: [tag],
            operationId: `webhooks.${type}`,
            summary: description,
            security: [],
            parameters: Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
            requestBody: { required: true, content: { "application/json": content } },
            responses
          }
        }
      ]
    })
  )
