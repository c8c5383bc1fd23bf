import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { answers, fails } from "../../http/contract.ts"
import { DashboardSession } from "../../http/credentials.ts"
import {
  optionalNullable,
  refusing,
  required,
  storableObject,
  trimmedText,
  unstorableJson,
  unstorableText
} from "../../http/fields.ts"
import { InstanceNotFound } from "./errors.ts"
import { examples } from "./examples.ts"
import { configProblem, Instance } from "./model.ts"

const messages = {
  name: "name is required",
  nameEmpty: "name must not be empty",
  nameLong: "name must be at most 200 characters",
  config: "config must be an object",
  workflow: "workflow must be an object",
  disabled: "disabled must be true or false"
} as const

const name = (message: string) =>
  trimmedText({ field: "name", message, maxLength: 200, tooLong: messages.nameLong })

const Config = storableObject("config", messages.config).pipe(
  Schema.filter((config) => configProblem(config), { jsonSchema: { type: "object" } })
)

const Workflow = storableObject("workflow", messages.workflow)

const CreateInstance = Schema.Struct({
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
  messages.config,
  unstorableJson("config"),
  "config.captcha must be an object",
  "config.redirect must be an object",
  "config.captcha.siteKey must be a string",
  "config.captcha.minScore must be a number from 0 to 1",
  "config.redirect.successUrl must be an http or https URL",
  "config.redirect.failureUrl must be an http or https URL",
  messages.workflow,
  unstorableJson("workflow")
]

const notFound = fails(InstanceNotFound, 404, "Instance not found")
const ById = Schema.Struct({ id: Schema.String })

/** The company's verification flows (decisions, section 4). */
export class InstancesApi extends HttpApiGroup.make("kyc-instances")
  .add(
    HttpApiEndpoint.get("list", "/api/kyc/instances")
      .addSuccess(Schema.Struct({ instances: Schema.Array(Instance) }))
      .annotate(OpenApi.Summary, "List the company's instances, newest first")
      .pipe(answers({ example: examples.list, unexpected: "Failed to list instances" }))
  )
  .add(
    HttpApiEndpoint.post("create", "/api/kyc/instances")
      .setPayload(CreateInstance)
      .addSuccess(OneInstance, { status: 201 })
      .annotate(OpenApi.Summary, "Create an instance")
      .pipe(
        answers({
          example: examples.create,
          rejects: [messages.name, ...contentRejects],
          unexpected: "Failed to create instance"
        })
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/api/kyc/instances/:id")
      .setPath(ById)
      .addSuccess(OneInstance)
      .addError(notFound)
      .annotate(OpenApi.Summary, "Read an instance")
      .pipe(answers({ example: examples.get, unexpected: "Failed to get instance" }))
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
          unexpected: "Failed to update instance"
        })
      )
  )
  .middleware(DashboardSession)
  .annotate(OpenApi.Title, "KYC instances")
  .annotate(
    OpenApi.Description,
    "Verification flows of the company: what a session asks for and how its page looks."
  ) {}
