/** One operation of a published API: its input, its responses, and a sample call. */
import { object, text } from "../../../../json.ts"
import { languages } from "../../../../reference/calls.ts"
import {
  answersOf,
  bodyOf,
  type Operation as DescribedOperation,
  parametersOf
} from "../../../../reference/document.ts"
import { AnswerShown, Body, Inputs, sampleBody } from "../../../../reference/operation.tsx"
import { ForeignLink, Prose, webAddress } from "../../../../reference/prose.tsx"
import { useReading } from "../../../../reference/reading.ts"
import { Disclosure } from "../../../common/disclosure.tsx"
import { Badge } from "../../../common/parts.tsx"
import { gatewayAddress } from "../../../common/surroundings.ts"
import { isGateways } from "./version.ts"

const OperationBody = ({ of: operation }: { readonly of: DescribedOperation }) => {
  const { document, parts } = useReading()
  const parameters = parametersOf(document, operation)
  const body = bodyOf(document, operation)
  const answers = answersOf(document, operation)
  const statuses = answers.filter(isGateways).map(({ status }) => status)
  const docs = object(operation.node.externalDocs)
  const url = webAddress(text(docs.url) ?? "")
  return (
    <div class="operation-body">
      <Prose text={operation.description} />
      {url === undefined ? null : (
        <p>
          <ForeignLink url={url}>{text(docs.description) ?? "Read more"}</ForeignLink>{" "}
          <span class="faint">({url.host})</span>
        </p>
      )}
      {parameters.length === 0 ? null : (
        <>
          <h4>Parameters</h4>
          <Inputs of={parameters} />
        </>
      )}
      {body === undefined ? null : (
        <>
          <h4>
            Body <span class="faint">{body.required ? "required" : "optional"}</span>
          </h4>
          <Prose text={body.description} />
          <Body label="the body" media={body.media} />
        </>
      )}
      <h4>Responses</h4>
      {answers
        .filter((answer) => !isGateways(answer))
        .map((answer) => (
          <AnswerShown key={answer.status} of={answer} />
        ))}
      {statuses.length === 0 ? null : (
        <p class="faint">
          The gateway itself may respond with {statuses.join(", ")}, and the reason in “error”.
        </p>
      )}
      <h4>Call</h4>
      <parts.Choice label="Language" names={languages.map(({ label }) => label)}>
        {(name) => (
          <parts.Snippet
            label={`With ${name}`}
            text={(languages.find(({ label }) => label === name) ?? languages[0]).write({
              method: operation.method,
              base: gatewayAddress(),
              path: operation.wholePath,
              headers: [["x-api-key", "YOUR_KEY"]],
              ...sampleBody(document, body)
            })}
          />
        )}
      </parts.Choice>
    </div>
  )
}

interface OperationProps {
  readonly of: DescribedOperation
  readonly open: boolean
  readonly onToggle: (open: boolean) => void
}

export const Operation = ({ of, onToggle, open }: OperationProps) => (
  <Disclosure
    class="operation"
    open={open}
    onToggle={onToggle}
    summary={
      <>
        <span class={`method ${of.method.toLowerCase()}`}>{of.method}</span>{" "}
        <code>{of.path === "" ? "/" : of.path}</code> <span class="faint">{of.summary}</span>
        {of.deprecated ? <Badge tone="warning">Deprecated</Badge> : null}
      </>
    }
  >
    {() => <OperationBody of={of} />}
  </Disclosure>
)
