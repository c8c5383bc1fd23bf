import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { actingFor, companyFrom, companyOption } from "../../accounts/company-cli.ts"
import { command, fields, group, listing, option } from "../../cli/command.ts"
import { readDocument } from "../../cli/document.ts"
import { checked, onDatabase } from "../../cli/on-database.ts"
import { oneLine } from "../../cli/output.ts"

const onInstances = onDatabase(() => import("./cli-layer.ts"))

const document = (name: string) =>
  Options.optional(
    option(name, "file", `The ${name}, as JSON or YAML, described by /schemas/kyc-${name}.json.`)
  )

const content = (file: Option.Option<string>) =>
  Option.isNone(file) ? Effect.succeed(null) : readDocument(file.value)

const create = command(
  "create",
  "Create a KYC instance.",
  {
    name: option("name", "text", "The name of the instance."),
    company: companyOption,
    config: document("config"),
    workflow: document("workflow")
  },
  (given) =>
    Effect.gen(function* () {
      const { CreateInstance } = yield* Effect.promise(() => import("./api.ts"))
      const request = yield* checked(CreateInstance, {
        name: given.name,
        config: yield* content(given.config),
        workflow: yield* content(given.workflow)
      })
      const instance = yield* onInstances((instances) =>
        Effect.flatMap(companyFrom(given.company), (company) => instances.create(actingFor(company), request))
      )
      return {
        value: { instance },
        words: fields({ instance: instance.name, "public key": instance.public_key, id: instance.id })
      }
    })
)

const list = command(
  "list",
  "List the KYC instances of a company, newest first.",
  { company: companyOption },
  (given) =>
    Effect.map(
      onInstances((instances) => Effect.flatMap(companyFrom(given.company), ({ id }) => instances.list(id))),
      (instances) => ({
        value: { instances },
        words: listing(
          instances,
          "The company has no instances.",
          ["NAME", "PUBLIC KEY", "STATE", "CREATED", "ID"],
          ({ created_at, disabled_at, id, name, public_key }, paint) => [
            oneLine(name),
            public_key,
            disabled_at === null ? paint("green", "enabled") : paint("dim", "disabled"),
            created_at.toISOString(),
            id
          ]
        )
      })
    )
)

export const instances = {
  commands: [group("instance", "KYC instances.", [create, list])]
}
