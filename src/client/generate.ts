/** Writes the part of the client that is made from the contract: its types, and a function for each route. */
import { type Json, object } from "../http/contract/openapi-json.ts"
import { commonCodes, type Operation, operationsOf } from "./operations.ts"
import { comment, declarationOf, field, namedIn, reachable, typeOf } from "./types-text.ts"

const head = "// Made from doorlock's contract by `bun run test contract/client -u`. Do not edit.\n"

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

const union = (values: ReadonlyArray<string>, indent = "  "): string =>
  values.map((value) => `\n${indent}| ${JSON.stringify(value)}`).join("")

const nameOf = ({ group, name }: Operation): string => capital(group) + capital(name)

const codesKey = ({ group, name }: Operation): string => JSON.stringify(`${group}.${name}`)

const webhookSchemas = (document: Json): ReadonlyArray<Json> =>
  Object.values(object(document.webhooks)).map((item) => {
    const content = object(object(object(object(item).post).requestBody).content)
    return object(object(content["application/json"]).schema)
  })

const typesOf = (document: Json, operations: ReadonlyArray<Operation>): string => {
  const schemas = object(object(document.components).schemas)
  const events = webhookSchemas(document)
  const outputs = reachable([events, operations.map(({ result }) => result)], schemas)
  const inputs = reachable(
    operations.map(({ body, query }) => [body?.schema, query]),
    schemas
  )
  const declarations = Object.entries(schemas)
    .filter(([name]) => outputs.has(name) || inputs.has(name))
    .map(([name, schema]) => declarationOf(name, object(schema), !outputs.has(name)))
  const queries = operations
    .filter(({ query }) => query.length > 0)
    .map((operation) => {
      const fields = operation.query.map(({ description, name, required, schema }) =>
        field(name, schema, required, description, { input: true, indent: "  " })
      )
      return `export interface ${nameOf(operation)}Query {\n${fields.join("")}}\n`
    })
  const codes = operations
    .filter((operation) => operation.codes.length > 0)
    .map((operation) => `  ${codesKey(operation)}:${union(operation.codes, "    ")}\n`)
  const all = [...new Set([...commonCodes, ...operations.flatMap((operation) => operation.codes)])].sort()
  return [
    head,
    ...declarations,
    `/** What doorlock sends to webhook endpoints. More types will be added: ignore those that you do not know. */\nexport type WebhookEvent =${events
      .map((schema) => `\n  | ${typeOf(schema, { input: false, indent: "" })}`)
      .join("")}\n`,
    ...queries,
    `/** The codes of errors that any route may have. */\nexport type CommonErrorCode =${union(commonCodes)}\n`,
    `/** The codes of errors by function, without the common ones. */\nexport interface ErrorCodes {\n${codes.join("")}}\n`,
    `/** The codes of all errors. */\nexport type ErrorCode =${union(all)}\n`
  ].join("\n")
}

const marksOf = (operation: Operation): string =>
  [
    operation.method,
    operation.path,
    operation.query.length > 0
      ? "query"
      : operation.body === undefined
        ? undefined
        : operation.body.schema === undefined
          ? "file"
          : "body",
    operation.takesIdempotencyKey ? "idempotent" : undefined,
    operation.result === undefined ? "raw" : undefined,
    operation.paging === undefined ? undefined : `${operation.paging.kind}=${operation.paging.list}`
  ]
    .filter((mark) => mark !== undefined)
    .join(" ")

const inputOf = (operation: Operation): ReadonlyArray<string> => {
  const { body, query } = operation
  if (query.length > 0)
    return [`query${query.some(({ required }) => required) ? "" : "?"}: ${nameOf(operation)}Query`]
  if (body === undefined) return []
  if (body.schema === undefined) return ["file: Blob"]
  return [`body${body.required ? "" : "?"}: ${typeOf(body.schema, { input: true, indent: "  " })}`]
}

const optionsOf = ({ needsSessionToken, takesIdempotencyKey }: Operation): string =>
  needsSessionToken
    ? "options: SessionTokenOptions"
    : `options?: ${takesIdempotencyKey ? "IdempotentOptions" : "CallOptions"}`

const answerOf = (operation: Operation): string => {
  const { codes, paging, result } = operation
  const code = codes.length === 0 ? "" : `, ErrorCodes[${codesKey(operation)}]`
  if (result === undefined) return `Call<Response${code}>`
  const page = typeOf(result, { input: false, indent: "  " })
  if (paging === undefined) return `Call<${page}${code}>`
  const { items } = object(object(result.properties)[paging.list])
  return `PagedCall<${page}, ${typeOf(object(items), { input: false, indent: "  " })}${code}>`
}

const functionText = (operation: Operation): string => {
  const { description, ids, method, name, path, summary } = operation
  const parameters = [...ids.map((id) => `${id}: string`), ...inputOf(operation), optionsOf(operation)]
  const about = [`${summary}.`, description, `\`${method} ${path}\``].join("\n\n")
  return `${comment(about, "  ")}  ${name}(${parameters.join(", ")}): ${answerOf(operation)}\n`
}

const groupText = (name: string, operations: ReadonlyArray<Operation>, about: string): string => {
  const type = capital(name)
  const functions = operations.map(functionText).join("\n")
  const routes = operations.map((operation) => `  ${operation.name}: ${JSON.stringify(marksOf(operation))}`)
  return [
    `${comment(about)}export interface ${type} {\n${functions}}\n`,
    `export const ${name}: (connection: Connection) => ${type} = /* @__PURE__ */ group<${type}>({\n${routes.join(",\n")}\n})\n`
  ].join("\n")
}

const groupsOf = (document: Json, operations: ReadonlyArray<Operation>): string => {
  const tags = new Map(
    (Array.isArray(document.tags) ? document.tags : []).map((tag) => [
      String(object(tag).name),
      String(object(tag).description ?? "")
    ])
  )
  const names = [...new Set(operations.map(({ group }) => group))].sort()
  const groups = names.map((name) => {
    const own = operations.filter(({ group }) => group === name)
    const about = [...new Set(own.map(({ tag }) => tags.get(tag) ?? ""))].join("\n\n")
    return groupText(name, own, about)
  })
  const body = groups.join("\n")
  const schemas = Object.keys(object(object(document.components).schemas))
  const clash = names.map(capital).filter((name) => schemas.includes(name))
  if (clash.length > 0) throw new Error(`Groups of the client are called like schemas: ${clash.join(", ")}`)
  const types = [
    ...new Set([
      "ErrorCodes",
      ...operations.flatMap((operation) => [
        ...namedIn([operation.result, operation.body?.schema]),
        ...(operation.query.length > 0 ? [`${nameOf(operation)}Query`] : [])
      ])
    ])
  ].sort()
  return [
    head,
    [
      'import { type Call, group, type PagedCall } from "../calls.ts"',
      "import {",
      "  type CallOptions,",
      "  type ClientOptions,",
      "  type Connection,",
      "  connect,",
      "  type IdempotentOptions,",
      "  type SessionTokenOptions",
      '} from "../connection.ts"',
      `import type {\n${types.map((type) => `  ${type}`).join(",\n")}\n} from "./types.ts"\n`
    ].join("\n"),
    body,
    `/** All groups of routes. */\nexport interface Client {\n${names.map((name) => `  readonly ${name}: ${capital(name)}\n`).join("")}}\n`,
    [
      "/**",
      " * A client for all routes. It sends nothing yet. A page that uses few routes becomes smaller if it connects only their groups:",
      " * `sessions(connect(options))`.",
      " */",
      "export const createClient = (options: ClientOptions): Client => {",
      "  const connection = connect(options)",
      "  return {",
      names.map((name) => `    ${name}: ${name}(connection)`).join(",\n"),
      "  }",
      "}",
      ""
    ].join("\n")
  ].join("\n")
}

/** The generated files, by name. Throws if the client could not express a route. */
export const generate = (document: Json): Readonly<Record<"groups.ts" | "types.ts", string>> => {
  const operations = operationsOf(document)
  return { "groups.ts": groupsOf(document, operations), "types.ts": typesOf(document, operations) }
}
