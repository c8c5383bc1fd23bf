import { Schema } from "effect"
import { user } from "../../accounts/guards.ts"
import { fails } from "../../http/contract/error-responses.ts"
import { nameText, optionalNullable, refusing, required, storableObject } from "../../http/contract/fields.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import type { JsonObject } from "../../shared/schemas.ts"
import { configProblem } from "./config-model.ts"
import { examples } from "./examples.ts"
import { Instance, InstanceNotFound, TooManyInstances } from "./model.ts"
import { workflowProblem } from "./workflow-sense-model.ts"

/** The maximum size of a config or workflow as JSON: 256 KiB. */
const maxDocumentBytes = 262_144

const documentIn = (field: "config" | "workflow", problem: (document: JsonObject) => string | undefined) => {
  const url = `/schemas/kyc-${field}.json`
  const description = `Must match the JSON Schema at \`${url}\`. Unknown fields are stored and ignored.`
  const jsonSchema = { type: "object", description, externalDocs: { url } }
  return optionalNullable(
    storableObject(field, maxDocumentBytes).pipe(Schema.filter(problem, { jsonSchema }))
  )
}

const documents = {
  config: documentIn("config", configProblem),
  workflow: documentIn("workflow", workflowProblem)
}

export const CreateInstance = Schema.Struct({ name: required(nameText("name")), ...documents }).annotations({
  identifier: "CreateKycInstance"
})

const UpdateInstance = Schema.Struct({
  name: optionalNullable(nameText("name", "name must not be empty")).annotations({
    description: "The new name. Without it, the name stays as it is."
  }),
  ...documents,
  disabled: optionalNullable(refusing(Schema.Boolean, "disabled must be true or false")).annotations({
    description:
      "`true`: no sessions can be created any more. Existing ones continue. `false` enables the instance again."
  })
}).annotations({ identifier: "UpdateKycInstance" })

const OneInstance = Schema.Struct({ instance: Instance })

const contentPatterns = [
  { pattern: /^config[.[].* must .+$/, code: "config-rule-broken", example: "config.v must be 1" },
  { pattern: /^workflow[.[].* must .+$/, code: "workflow-rule-broken", example: "workflow.v must be 1" }
]

const notFound = fails(InstanceNotFound, 404, "Instance not found")

/** The company's verification flows (contract.md#instances). */
export class InstancesApi extends routeGroup(
  "kyc-instances",
  {
    title: "KYC instances",
    description:
      "Verification flows of the company: what a session asks for and how its page looks. A config must match the JSON Schema " +
      "at `/schemas/kyc-config.json`, a workflow the one at `/schemas/kyc-workflow.json`. Both are validated when they are " +
      "saved; the message of a 400 names the field and the rule.",
    examples
  },
  route("list", "GET /api/kyc/instances", {
    summary: "List the company's instances, newest first",
    access: keyOrUser("kyc:instances:read", "read"),
    success: Schema.Struct({ instances: Schema.Array(Instance) }),
    unexpected: "Failed to list instances",
    compressed: true
  }),
  route("create", "POST /api/kyc/instances", {
    summary: "Create an instance",
    access: user("write"),
    body: CreateInstance,
    success: created(OneInstance),
    errors: [
      fails(TooManyInstances, 409, "A company has at most 200 instances", {
        describe: ({ most }) => `A company has at most ${most} instances`
      })
    ],
    rejectPatterns: contentPatterns,
    unexpected: "Failed to create instance"
  }),
  route("get", "GET /api/kyc/instances/:id", {
    summary: "Read an instance",
    access: keyOrUser("kyc:instances:read", "read"),
    ids: { id: "the KYC instance" },
    success: OneInstance,
    errors: [notFound],
    unexpected: "Failed to get instance",
    compressed: true
  }),
  route("update", "PATCH /api/kyc/instances/:id", {
    summary: "Change an instance; existing sessions keep their config and workflow",
    access: user("write"),
    ids: { id: "the KYC instance" },
    body: UpdateInstance,
    success: OneInstance,
    errors: [notFound],
    rejectPatterns: contentPatterns,
    unexpected: "Failed to update instance"
  })
) {}
