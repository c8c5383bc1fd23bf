/** One operation of an API: its input, its responses, and a sample call. */
import type { ComponentProps } from "preact"
import { useState } from "preact/hooks"
import { object, text } from "../../../../json.ts"
import { Snippet } from "../../../common/copy.tsx"
import { Disclosure } from "../../../common/disclosure.tsx"
import { Select } from "../../../common/fields.tsx"
import { Badge } from "../../../common/parts.tsx"
import { gatewayAddress } from "../../../common/surroundings.ts"
import { curl } from "./call.ts"
import {
  type Answer,
  answersOf,
  bodyOf,
  type Operation as DescribedOperation,
  gatewayStatuses,
  type Media,
  parametersOf
} from "./document.ts"
import { ForeignLink, Prose, webAddress } from "./prose.tsx"
import { sampleOf } from "./sample.ts"
import { Described, Schema, useReading } from "./schema.tsx"

/** The maximum length of an example, in characters. */
const maxExample = 10_000

const written = (value: unknown): string => {
  const whole = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")
  return whole.length > maxExample ? `${whole.slice(0, maxExample)}\n…` : whole
}

interface InputsProps {
  readonly of: ReadonlyArray<ComponentProps<typeof Described> & { readonly example?: unknown }>
}

/** Parameters, or the headers of a response. */
const Inputs = ({ of }: InputsProps) =>
  of.length === 0 ? null : (
    <ul class="members">
      {of.map(({ example, ...input }) => (
        <li key={`${input.place} ${input.name}`}>
          <Described {...input} />
          {example === undefined ? null : (
            <p class="rules">
              for example <code>{written(example)}</code>
            </p>
          )}
        </li>
      ))}
    </ul>
  )

const Body = ({ label, media }: { readonly label: string; readonly media: ReadonlyArray<Media> }) => {
  const { document } = useReading()
  const [type, setType] = useState<string>()
  const chosen = media.find((known) => known.type === type) ?? media[0]
  if (chosen === undefined) return null
  const example = chosen.example ?? sampleOf(document, chosen.schema)
  return (
    <div class="media">
      <p class="media-type">
        {media.length === 1 ? (
          <code>{chosen.type}</code>
        ) : (
          <Select
            aria-label={`Media type of ${label}`}
            value={chosen.type}
            choices={media.map(({ type }) => [type, type])}
            onChange={setType}
          />
        )}
      </p>
      {chosen.schema === undefined ? null : <Schema key={chosen.type} of={chosen.schema} />}
      {example === undefined ? null : (
        <Snippet
          label={chosen.example === undefined ? "Example, made from the schema" : "Example"}
          text={written(example)}
        />
      )}
    </div>
  )
}

const AnswerShown = ({ of: { description, headers, media, status } }: { readonly of: Answer }) => (
  <Disclosure
    class="answer"
    open={status.startsWith("2")}
    summary={
      <>
        <strong>{status}</strong> <span class="faint">{description.slice(0, 200)}</span>
      </>
    }
  >
    {() => (
      <>
        {description.length > 200 ? <Prose text={description} /> : null}
        <Inputs of={headers.map((header) => ({ ...header, place: "header" }))} />
        {media.length === 0 ? (
          <p class="faint">No body.</p>
        ) : (
          <Body label={`response ${status}`} media={media} />
        )}
      </>
    )}
  </Disclosure>
)

const OperationBody = ({ of: operation }: { readonly of: DescribedOperation }) => {
  const { document } = useReading()
  const parameters = parametersOf(document, operation)
  const body = bodyOf(document, operation)
  const [json] = (body?.media ?? []).filter(({ type }) => /^application\/(?:[\w.-]+\+)?json\b/.test(type))
  const statuses = gatewayStatuses(operation)
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
      {answersOf(document, operation).map((answer) => (
        <AnswerShown key={answer.status} of={answer} />
      ))}
      {statuses.length === 0 ? null : (
        <p class="faint">
          The gateway itself may respond with {statuses.join(", ")}, and the reason in “error”.
        </p>
      )}
      <h4>Call</h4>
      <Snippet
        label="With curl"
        text={curl({
          method: operation.method,
          gateway: gatewayAddress(),
          path: operation.gatewayPath,
          key: "YOUR_KEY",
          ...(json === undefined ? {} : { json: json.example ?? sampleOf(document, json.schema) })
        })}
      />
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
