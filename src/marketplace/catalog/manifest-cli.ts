/** The manifest: a file in an API's repository with everything that is published about the API. */

import { dirname, join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { ArrayFormatter } from "effect/ParseResult"
import { readDocument } from "../../cli/document.ts"
import { type CommandFailed, misused } from "../../cli/failures.ts"
import { isJsonObject, type JsonObject, objectOf } from "../../shared/schemas.ts"
import { BecomePublisher, CreateApi, CreatePlan, CreateVersion } from "./publishing-requests-api.ts"

/** The command's options by the manifest's fields; given ones override the file. */
export interface Overrides {
  readonly [field: string]: Option.Option<unknown> | Overrides
}

const optionalText = (field: string) =>
  Schema.optionalWith(Schema.String.annotations({ message: () => `${field} must be text` }), { exact: true })

/** The same fields and rules as in the API's own routes. */
const Manifest = Schema.Struct({
  ...CreateVersion.fields,
  /** By id or name. */
  company: optionalText("company"),
  publisher: Schema.Struct({
    slug: BecomePublisher.fields.slug,
    /** Default: the company's name. */
    name: optionalText("name")
  }),
  api: CreateApi,
  plans: Schema.optionalWith(
    Schema.Array(CreatePlan).annotations({ message: () => "plans must be a list" }),
    { default: () => [] }
  )
})

export type Manifest = typeof Manifest.Type

const isDescription = (file: JsonObject): boolean =>
  "info" in file && (typeof file.openapi === "string" || typeof file.swagger === "string")

/** Takes the API's name, description and version from an OpenAPI document. The options supply the rest. */
const fromDescription = (openapi: JsonObject): JsonObject => {
  const { description, title, version } = objectOf(openapi.info)
  const about = description === undefined ? { name: title } : { name: title, description }
  return { api: about, version, openapi }
}

const overridden = (own: JsonObject, given: Overrides): JsonObject => ({
  ...own,
  ...Object.fromEntries(
    Object.entries(given).flatMap(([field, value]): ReadonlyArray<[string, unknown]> => {
      if (!Option.isOption(value)) return [[field, overridden(objectOf(own[field]), value)]]
      return Option.toArray(value).map((text) => [field, text])
    })
  )
})

/** Adds the file and the path to a message about a field. */
const complaint = (file: string, path: ReadonlyArray<PropertyKey>, message: string): string => {
  const place = path.map(String).join(".")
  if (message.startsWith("is unexpected")) return `${file}: a manifest has no field ${place}.`
  const section = path.slice(0, -1).map(String).join(".")
  return `${file}: ${section === "" ? "" : `${section}: `}${message}.`
}

/** Reads a manifest from a file, or combines an OpenAPI document with the options. */
export const readManifest = (file: string, given: Overrides): Effect.Effect<Manifest, CommandFailed> =>
  Effect.gen(function* () {
    const content = yield* readDocument(file)
    if (!isJsonObject(content))
      return yield* misused(`${file} must contain a manifest or an OpenAPI document.`)
    const manifest = overridden(isDescription(content) ? fromDescription(content) : content, given)
    if (typeof manifest.version === "number") {
      return yield* misused(`${file}: version must be text, in quotes: 1.10 and 1.1 are the same number.`)
    }
    const { openapi } = manifest
    const described =
      typeof openapi === "string"
        ? { ...manifest, openapi: yield* readDocument(join(dirname(file), openapi)) }
        : manifest
    return yield* Effect.mapError(
      Schema.decodeUnknown(Manifest, { onExcessProperty: "error" })(described),
      (error) => {
        const [issue] = ArrayFormatter.formatErrorSync(error)
        return misused(complaint(file, issue?.path ?? [], issue?.message ?? error.message))
      }
    )
  })
