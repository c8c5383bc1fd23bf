import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { DashboardMember, DashboardSession } from "../../accounts/guards.ts"
import { answers, fails } from "../../http/contract/answers.ts"
import {
  idOf,
  nameText,
  optionalNullable,
  refusing,
  required,
  storableObject,
  unprintableName,
  unstorableJson,
  unstorableText
} from "../../http/contract/fields.ts"
import type { JsonObject } from "../../model.ts"
import { configProblem } from "./config-model.ts"
import { InstanceNotFound, TooManyInstances } from "./errors.ts"
import { examples } from "./examples.ts"
import { Instance } from "./model.ts"
import { workflowProblem } from "./workflow-sense-model.ts"

const messages = {
  name: "name is required",
  nameEmpty: "name must not be empty",
  nameLong: "name must be at most 200 characters",
  config: "config must be an object",
  workflow: "workflow must be an object",
  disabled: "disabled must be true or false"
} as const

const name = (message: string) =>
  nameText({ field: "name", message, maxLength: 200, tooLong: messages.nameLong })

/** The maximum size of a config or workflow as JSON: 256 KiB. */
const maxDocumentBytes = 262_144

const tooLarge = (field: string) => `${field} is too large`

/** Stored unchanged; its schema is published at `/schemas`. */
const documentIn = (field: "config" | "workflow", problem: (document: JsonObject) => string | undefined) => {
  const url = `/schemas/kyc-${field}.json`
  const description = `By the JSON Schema at \`${url}\`. Unknown fields are kept and ignored.`
  const jsonSchema = { type: "object", description, externalDocs: { url } }
  const size = { most: maxDocumentBytes, tooLarge: tooLarge(field) }
  return storableObject(field, messages[field], size).pipe(Schema.filter(problem, { jsonSchema }))
}

const Config = documentIn("config", configProblem)

const Workflow = documentIn("workflow", workflowProblem)

export const CreateInstance = Schema.Struct({
  name: required(name(messages.name), messages.name),
  config: optionalNullable(Config),
  workflow: optionalNullable(Workflow)
}).annotations({ identifier: "CreateKycInstance" })

const UpdateInstance = Schema.Struct({
  name: optionalNullable(name(messages.nameEmpty)),
  config: optionalNullable(Config),
  workflow: optionalNullable(Workflow),
  disabled: optionalNullable(refusing(Schema.Boolean, messages.disabled))
}).annotations({ identifier: "UpdateKycInstance" })

const OneInstance = Schema.Struct({ instance: Instance })

const contentRejects = [
  messages.nameLong,
  unstorableText("name"),
  unprintableName("name"),
  messages.config,
  unstorableJson("config"),
  tooLarge("config"),
  messages.workflow,
  unstorableJson("workflow"),
  tooLarge("workflow")
]

/** A path in a config or workflow, and its rule. */
const contentPatterns = [
  { pattern: /^config[.[].* must .+$/, code: "config-rule-broken", example: "config.v must be 1" },
  { pattern: /^workflow[.[].* must .+$/, code: "workflow-rule-broken", example: "workflow.v must be 1" }
]

const notFound = fails(InstanceNotFound, 404, "Instance not found")
const ById = Schema.Struct({ id: idOf("the KYC instance") })

/** The company's verification flows (contract.md#instances). */
export class InstancesApi extends HttpApiGroup.make("kyc-instances")
  .add(
    HttpApiEndpoint.get("list", "/api/kyc/instances")
      .addSuccess(Schema.Struct({ instances: Schema.Array(Instance) }))
      .annotate(OpenApi.Summary, "List the company's instances, newest first")
      .pipe(answers({ example: examples.list, unexpected: "Failed to list instances", compressed: true }))
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.post("create", "/api/kyc/instances")
      .setPayload(CreateInstance)
      .addSuccess(OneInstance, { status: 201 })
      .addError(
        fails(TooManyInstances, 409, "A company has at most 200 instances", {
          describe: ({ most }) => `A company has at most ${most} instances`
        })
      )
      .annotate(OpenApi.Summary, "Create an instance")
      .pipe(
        answers({
          example: examples.create,
          rejects: [messages.name, ...contentRejects],
          rejectPatterns: contentPatterns,
          unexpected: "Failed to create instance"
        })
      )
      .middleware(DashboardMember)
  )
  .add(
    HttpApiEndpoint.get("get", "/api/kyc/instances/:id")
      .setPath(ById)
      .addSuccess(OneInstance)
      .addError(notFound)
      .annotate(OpenApi.Summary, "Read an instance")
      .pipe(answers({ example: examples.get, unexpected: "Failed to get instance", compressed: true }))
      .middleware(DashboardSession)
  )
  .add(
    HttpApiEndpoint.patch("update", "/api/kyc/instances/:id")
      .setPath(ById)
      .setPayload(UpdateInstance)
      .addSuccess(OneInstance)
      .addError(notFound)
      .annotate(OpenApi.Summary, "Change an instance; sessions that exist keep what they were created with")
      .pipe(
        answers({
          example: examples.update,
          rejects: [messages.nameEmpty, ...contentRejects, messages.disabled],
          rejectPatterns: contentPatterns,
          unexpected: "Failed to update instance"
        })
      )
      .middleware(DashboardMember)
  )
  .annotate(OpenApi.Title, "KYC instances")
  .annotate(
    OpenApi.Description,
    "Verification flows of the company: what a session asks for and how its page looks. A config is by the JSON Schema " +
      "at `/schemas/kyc-config.json`, a workflow by that at `/schemas/kyc-workflow.json`. Both are checked when they are " +
      "saved; a 400 names the place and the rule."
  ) {}
