/** The JSON Schemas of config and workflow for partners' editors, from the schemas that check them. */
import { JSONSchema } from "effect"
import { Config } from "./config-model.ts"
import { demoInstance } from "./demo.ts"
import { Workflow } from "./workflow-model.ts"

export const published = [
  {
    path: "/schemas/kyc-config.json",
    schema: Config,
    title: "Config of a KYC instance",
    description: [
      "How the hosted page looks and behaves. Everything is optional; unknown fields are stored and ignored.",
      "Further rules: a text has `en`, or every language in use; `defaultLocale` is one of `locales`;",
      "`theme.onPrimary` has enough contrast to `theme.primary`. At most 256 KiB as JSON."
    ].join(" "),
    examples: [{}, demoInstance.config]
  },
  {
    path: "/schemas/kyc-workflow.json",
    schema: Workflow,
    title: "Workflow of a KYC instance",
    description: [
      "The steps of the hosted page. Unknown fields are stored and ignored; for a step of an unknown type, the page says",
      "that it does not support the step. Further rules: ids are unique; rules name existing steps and fields; a text",
      "has `en`, or every language in use. At most 256 KiB as JSON."
    ].join(" "),
    examples: [{}, demoInstance.workflow]
  }
] as const
type Published = (typeof published)[number]

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
