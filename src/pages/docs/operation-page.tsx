/** @jsxImportSource preact */
/** An operation at its own address: fields, code, response and errors. */
import { clientFunctionOf } from "../../client/names.ts"
import { type Json, list, object } from "../../web/json.ts"
import type { Call } from "../../web/reference/calls.ts"
import { answersOf, bodyOf, type Operation, parametersOf } from "../../web/reference/document.ts"
import { AnswerBody, Body, Inputs, sampleBody } from "../../web/reference/operation.tsx"
import { Prose } from "../../web/reference/prose.tsx"
import { sampleOf } from "../../web/reference/sample.ts"
import type { Trial } from "../../web/reference/trial.ts"
import { Method, Neighbours, Samples } from "./parts.tsx"
import { type DocumentedOperation, errorsOf, type Site } from "./site.ts"

/** The names of an operation's credentials in the document. One of them is needed; none if nothing is. */
const credentialsOf = ({ node }: Operation): ReadonlyArray<string> =>
  list(node.security).flatMap((one) => Object.keys(object(one)))

/** The header that code sends for a credential. */
const credentialHeaders = (names: ReadonlyArray<string>): NonNullable<Call["headers"]> => {
  if (names.includes("apiKey")) return [["x-api-key", { variable: "DOORLOCK_API_KEY" }]]
  const variable = names.includes("sessionBearer") ? "DOORLOCK_SESSION_TOKEN" : "DOORLOCK_USER_TOKEN"
  return names.length === 0 ? [] : [["authorization", { prefix: "Bearer ", variable }]]
}

/** How the client is given a credential. A platform key and a user are known to the client, the token of a session to one call. */
const clientCredential = (names: ReadonlyArray<string>) => {
  if (names.includes("apiKey")) return { option: "apiKey", variable: "DOORLOCK_API_KEY", ofCall: false }
  if (names.includes("sessionBearer"))
    return { option: "token", variable: "DOORLOCK_SESSION_TOKEN", ofCall: true }
  return names.length === 0 ? undefined : { option: "token", variable: "DOORLOCK_USER_TOKEN", ofCall: false }
}

/** A call with the required parameters, and the example as its body. */
export const callOf = (document: Json, base: string, operation: Operation): Call => {
  const needed = parametersOf(document, operation).filter(({ required }) => required)
  const sampleFor = ({ example, schema }: (typeof needed)[number]): string =>
    String(example ?? sampleOf(document, schema) ?? "text")
  const ids = needed.filter((parameter) => parameter.in === "path")
  const asked = needed.filter((parameter) => parameter.in === "query")
  const path = ids.reduce(
    (path, parameter) => path.replace(`{${parameter.name}}`, sampleFor(parameter)),
    operation.path
  )
  const query = asked.map((parameter) => `${parameter.name}=${encodeURIComponent(sampleFor(parameter))}`)
  const body = sampleBody(document, bodyOf(document, operation))
  const name = clientFunctionOf(String(operation.node.operationId))
  const credentials = credentialsOf(operation)
  return {
    method: operation.method,
    base,
    client:
      name === undefined
        ? undefined
        : {
            name,
            ids: ids.map(sampleFor),
            input:
              asked.length === 0
                ? body.json
                : Object.fromEntries(asked.map((one) => [one.name, sampleFor(one)])),
            credential: clientCredential(credentials)
          },
    path: query.length === 0 ? path : `${path}?${query.join("&")}`,
    headers: credentialHeaders(credentials),
    ...body
  }
}

const ways: Readonly<Record<string, string>> = {
  apiKey: "Send a platform key in the header `x-api-key`.",
  dashboardCookie:
    "Send a user's dashboard session as the cookie `dashboard_session`, or its token as bearer token.",
  sessionBearer: "Send the session's token as bearer token."
}

/** How to send the credentials of an operation, a sentence each. */
export const waysOf = (operation: Operation): ReadonlyArray<string> =>
  credentialsOf(operation).flatMap((name) => ways[name] ?? [])

/** The scope that a platform key needs; undefined if a key is not accepted, or needs none. */
const scopeOf = ({ description }: Operation): string | undefined =>
  /\bscopes? `?([a-z]+(?::[a-z]+)+)/.exec(description)?.[1]

/** What the operation does, and who may call it: the contract says this in the last paragraphs. */
const partsOf = ({ description }: Operation) => {
  const paragraphs = description.split("\n\n")
  const at = paragraphs.findIndex((paragraph) => /^(?:For |Needs no credential)/.test(paragraph))
  return at < 0
    ? { what: description, who: "" }
    : { what: paragraphs.slice(0, at).join("\n\n"), who: paragraphs.slice(at).join("\n\n") }
}

const Callers = ({ operation, who }: { readonly operation: Operation; readonly who: string }) => {
  const words = [who, waysOf(operation).join(" ")].filter((part) => part !== "")
  return words.length === 0 ? null : (
    <div class="callers">
      <strong>Who may call this</strong>
      <Prose text={words.join("\n\n")} />
    </div>
  )
}

const Errors = ({ document, operation }: { readonly document: Json; readonly operation: Operation }) => (
  <table class="errors">
    <thead>
      <tr>
        <th scope="col">Status</th>
        <th scope="col">doorlock-error</th>
        <th scope="col">Message</th>
      </tr>
    </thead>
    <tbody>
      {errorsOf(document, operation).map(({ code, message, status }) => (
        <tr key={`${status} ${code}`} id={`error-${code}`}>
          <td>{status}</td>
          <td>
            <code>{code}</code>
          </td>
          <td>{message}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** What the form of “Try it” is made from. */
const trialOf = (document: Json, { operation }: DocumentedOperation): Trial => {
  const body = bodyOf(document, operation)
  return {
    method: operation.method,
    path: operation.path,
    credentials: credentialsOf(operation),
    scope: scopeOf(operation),
    parameters: parametersOf(document, operation).map(({ in: place, name, required, schema }) => ({
      name,
      in: place,
      required,
      choices: list(object(schema).enum)
    })),
    body: body === undefined ? undefined : { required: body.required, ...sampleBody(document, body) }
  }
}

interface OperationPageProps {
  readonly site: Site
  readonly of: DocumentedOperation
  readonly base: string
}

export const OperationPage = ({ base, of: documented, site }: OperationPageProps) => {
  const { document, operations } = site
  const { goal, group, operation, title } = documented
  const parameters = parametersOf(document, operation)
  const body = bodyOf(document, operation)
  const { what, who } = partsOf(operation)
  const good = answersOf(document, operation).filter(({ status }) => status.startsWith("2"))
  const here = operations.indexOf(documented)
  const [before, after] = [operations[here - 1], operations[here + 1]]
  return (
    <>
      <p class="trail">
        {goal} <span aria-hidden="true">›</span> {group}
      </p>
      <h1 tabIndex={-1}>{title}</h1>
      <p class="endpoint">
        <Method>{operation.method}</Method> <code>{operation.path}</code>
      </p>
      {title === operation.summary ? null : (
        <div class="lead">
          <Prose text={`${operation.summary}.`} />
        </div>
      )}
      <Prose text={what} />
      <div class="split">
        <div>
          <h2>Request</h2>
          <Callers operation={operation} who={who} />
          {parameters.length === 0 && body === undefined ? <p class="faint">Takes no input.</p> : null}
          {parameters.length === 0 ? null : (
            <>
              <h3>Parameters</h3>
              <Inputs of={parameters} />
            </>
          )}
          {body === undefined ? null : (
            <>
              <h3>
                Body <span class="faint">{body.required ? "required" : "optional"}</span>
              </h3>
              <Prose text={body.description} />
              <Body label="the body" media={body.media} withoutExample />
            </>
          )}
        </div>
        <div class="aside">
          <Samples call={callOf(document, base, operation)} />
          <div id="try" data-trial={JSON.stringify(trialOf(document, documented))} />
        </div>
      </div>
      {good.map((answer) => (
        <section key={answer.status}>
          <h2>Response {answer.status}</h2>
          {answer.description === "Success" ? null : <Prose text={answer.description} />}
          <AnswerBody of={answer} />
        </section>
      ))}
      <h2>Errors</h2>
      <Errors document={document} operation={operation} />
      <Neighbours of="operation" before={before} after={after} />
    </>
  )
}
