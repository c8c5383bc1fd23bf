/**
 * The JSON Schemas of an instance's documents, for partners and their editors, generated from the schemas that check
 * the documents.
 */
import { JSONSchema, type Schema } from "effect"
import { Config } from "./config-model.ts"
import { demoInstance } from "./demo.ts"
import { Workflow } from "./workflow-model.ts"

interface Published {
  readonly path: "/schemas/kyc-config.json" | "/schemas/kyc-workflow.json"
  readonly schema: Schema.Schema.AnyNoContext
  readonly title: string
  readonly description: string
  readonly examples: ReadonlyArray<unknown>
}

export const published: ReadonlyArray<Published> = [
  {
    path: "/schemas/kyc-config.json",
    schema: Config,
    title: "Config of a KYC instance",
    description: [
      "How the hosted page looks and behaves. Everything may be left out; unknown fields are kept and ignored.",
      "Checked besides: a text has `en`, or every language in use; `defaultLocale` is one of `locales`;",
      "`theme.onPrimary` can be read on `theme.primary`. At most 256 KiB as JSON."
    ].join(" "),
    examples: [{}, demoInstance.config]
  },
  {
    path: "/schemas/kyc-workflow.json",
    schema: Workflow,
    title: "Workflow of a KYC instance",
    description: [
      "The steps the hosted page goes through. Unknown fields are kept and ignored; of a step whose type it does not",
      "have, the page says so. Checked besides: ids are unique; rules name steps, and fields of them, that there are; a",
      "text has `en`, or every language in use. At most 256 KiB as JSON."
    ].join(" "),
    examples: [{}, demoInstance.workflow]
  }
]

/** The JSON Schema 2020-12 of a document; `$id` is its public address. */
export const jsonSchema = ({ path, schema, ...about }: Published, baseUrl: string): object => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: baseUrl + path,
  ...about,
  ...JSONSchema.fromAST(schema.ast, {
    definitions: {},
    target: "jsonSchema2020-12",
    additionalPropertiesStrategy: "allow"
  })
})
