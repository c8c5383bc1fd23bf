/** @jsxImportSource preact */
/** The parts of an operation: its input, and its responses. */
import type { ComponentProps } from "preact"
import type { Json } from "../json.ts"
import type { Answer, bodyOf, Media } from "./document.ts"
import { Prose } from "./prose.tsx"
import { useReading } from "./reading.ts"
import { sampleOf } from "./sample.ts"
import { Described, Schema } from "./schema.tsx"

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
export const Inputs = ({ of }: InputsProps) =>
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

interface BodyProps {
  readonly label: string
  readonly media: ReadonlyArray<Media>
  /** By default, the example stands beside the schema. */
  readonly withoutExample?: boolean
}

export const Body = ({ label, media, withoutExample = false }: BodyProps) => {
  const { document, parts } = useReading()
  return (
    <parts.Choice label={`Media type of ${label}`} names={media.map(({ type }) => type)}>
      {(type) => {
        const chosen = media.find((known) => known.type === type)
        const example = chosen?.example ?? sampleOf(document, chosen?.schema)
        return (
          <div class={withoutExample ? undefined : "media"}>
            {chosen?.schema === undefined ? null : <Schema key={type} of={chosen.schema} />}
            {withoutExample || example === undefined ? null : (
              <parts.Snippet
                label={chosen?.example === undefined ? "Example, made from the schema" : "Example"}
                text={written(example)}
              />
            )}
          </div>
        )
      }}
    </parts.Choice>
  )
}

export const AnswerBody = ({ of: { headers, media, status } }: { readonly of: Answer }) => (
  <>
    <Inputs of={headers.map((header) => ({ ...header, place: "header" }))} />
    {media.length === 0 ? <p class="faint">No body.</p> : <Body label={`response ${status}`} media={media} />}
  </>
)

export const AnswerShown = ({ of: answer }: { readonly of: Answer }) => {
  const { description, status } = answer
  const { parts } = useReading()
  return (
    <parts.Disclosure
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
          <AnswerBody of={answer} />
        </>
      )}
    </parts.Disclosure>
  )
}

const isJson = ({ type }: Media): boolean => /^application\/(?:[\w.-]+\+)?json\b/.test(type)

/** What a sample call sends: a JSON body, or a file of the first media type. */
export const sampleBody = (document: Json, body: ReturnType<typeof bodyOf>) => {
  const media = body?.media ?? []
  const json = media.find(isJson)
  return json === undefined
    ? { file: media[0]?.type }
    : { json: json.example ?? sampleOf(document, json.schema) }
}
