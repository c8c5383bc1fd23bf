/** A schema as a list of its members. Nested members are expanded on demand, because schemas may be recursive. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { isObject, type Json, list, object } from "../../../../json.ts"
import { Disclosure } from "../../../common/disclosure.tsx"
import { ShowMore, useShown } from "../../../common/table.tsx"
import { componentName, entryOf, resolved, textOf, type VersionName } from "./document.ts"
import { Prose } from "./prose.tsx"

interface Reading {
  readonly document: Json
  readonly versionName: VersionName
}

export const ReadingContext = createContext<Reading | undefined>(undefined)

export const useReading = (): Reading => {
  const reading = useContext(ReadingContext)
  if (reading === undefined) throw new Error("Documentation outside of a document")
  return reading
}

/** The maximum length of a value in a rule, in characters. */
const maxShown = 200

const shown = (value: unknown): string => {
  const written = JSON.stringify(value) ?? ""
  return written.length > maxShown ? `${written.slice(0, maxShown)}…` : written
}

/** The maximum depth of nested lists that are named. */
const maxLists = 3

/** A schema's type in a few words: `array of Item`, `string (date)`. */
const kindOf = ({ document, versionName }: Reading, value: unknown, depth = 0): string => {
  if (value === true || value === undefined) return "anything"
  if (value === false) return "nothing"
  const { name, node } = resolved(document, value)
  if (name !== undefined) return componentName(versionName, name)
  const types = (Array.isArray(node.type) ? node.type : [node.type]).filter(
    (type) => typeof type === "string"
  )
  const plain = types.filter((type) => type !== "null")
  const format = textOf(node.format)
  const words = plain.map((type) => {
    if (type !== "array" || node.items === undefined || depth === maxLists) return type
    return `array of ${kindOf({ document, versionName }, node.items, depth + 1)}`
  })
  const kind =
    words.length > 0
      ? words.join(" or ")
      : list(node.oneOf).length + list(node.anyOf).length > 0
        ? "one of several"
        : node.properties !== undefined || node.allOf !== undefined
          ? "object"
          : node.enum !== undefined || node.const !== undefined
            ? "value"
            : "anything"
  return `${kind}${format === "" ? "" : ` (${format})`}${types.length > plain.length ? " or null" : ""}`
}

const bounds = [
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"],
  ["minLength", "characters at least:"],
  ["maxLength", "characters at most:"],
  ["minItems", "items at least:"],
  ["maxItems", "items at most:"],
  ["pattern", "matches"],
  ["default", "by default"]
] as const

/** A schema's further rules, each in a few words. */
const rulesOf = (schema: Json): ReadonlyArray<string> => [
  ...(schema.const === undefined ? [] : [`always ${shown(schema.const)}`]),
  ...(list(schema.enum).length === 0
    ? []
    : [`one of ${list(schema.enum).slice(0, 50).map(shown).join(", ")}`]),
  ...bounds.flatMap(([name, words]) =>
    schema[name] === undefined ? [] : [`${words} ${shown(schema[name])}`]
  ),
  ...(schema.readOnly === true ? ["only in answers"] : []),
  ...(schema.writeOnly === true ? ["only in requests"] : []),
  ...(schema.deprecated === true ? ["deprecated"] : [])
]

interface SchemaProps {
  readonly of: unknown
}

/** Whether a schema has members: properties, items or alternatives. */
const hasInside = ({ document }: Reading, value: unknown): boolean => {
  const { node } = resolved(document, value)
  const { additionalProperties, allOf, anyOf, items, oneOf, properties } = node
  return (
    [properties, items].some(isObject) ||
    (isObject(additionalProperties) && Object.keys(additionalProperties).length > 0) ||
    [allOf, anyOf, oneOf].some((parts) => list(parts).length > 0)
  )
}

interface MemberProps {
  readonly name: string
  readonly required?: boolean
  readonly schema: unknown
}

/** One member of a schema: its name, its type and its own members. */
const Member = ({ name, required = false, schema }: MemberProps) => {
  const reading = useReading()
  const { node } = resolved(reading.document, schema)
  const rules = rulesOf(node)
  return (
    <li>
      <p class="member">
        <code>{name}</code> <span class="kind">{kindOf(reading, schema)}</span>
        {required ? <span class="needed"> required</span> : null}
      </p>
      {rules.length === 0 ? null : <p class="rules">{rules.join(" · ")}</p>}
      <Prose text={textOf(node.description)} />
      {hasInside(reading, schema) ? (
        <Disclosure summary={`What is in ${name}`} class="inside">
          {() => <Inside of={schema} />}
        </Disclosure>
      ) : null}
    </li>
  )
}

const Members = ({ of }: { readonly of: ReadonlyArray<MemberProps> }) => {
  const { more, shown: first } = useShown(of)
  return (
    <>
      <ul class="members">
        {first.map((member, index) => (
          <Member key={index} {...member} />
        ))}
      </ul>
      <ShowMore more={more} />
    </>
  )
}

const Inside = ({ of }: SchemaProps) => {
  const { document } = useReading()
  const { node } = resolved(document, of)
  const required = new Set(list(node.required))
  const properties = object(node.properties)
  const members: ReadonlyArray<MemberProps> = [
    ...Object.keys(properties).map((name) => ({
      name,
      required: required.has(name),
      schema: entryOf(properties, name)
    })),
    ...(isObject(node.additionalProperties)
      ? [{ name: "any other name", schema: node.additionalProperties }]
      : []),
    ...(isObject(node.items) ? [{ name: "each item", schema: node.items }] : []),
    ...list(node.allOf).map((schema, index) => ({ name: `part ${index + 1}`, schema })),
    ...[...list(node.oneOf), ...list(node.anyOf)].map((schema, index) => ({
      name: `either ${index + 1}`,
      schema
    }))
  ]
  return <Members of={members} />
}

/** A schema on its own. */
export const Schema = ({ of }: SchemaProps) => {
  const reading = useReading()
  const { node } = resolved(reading.document, of)
  const rules = rulesOf(node)
  return (
    <div class="schema">
      <p class="member">
        <span class="kind">{kindOf(reading, of)}</span>
      </p>
      {rules.length === 0 ? null : <p class="rules">{rules.join(" · ")}</p>}
      <Prose text={textOf(node.description)} />
      {hasInside(reading, of) ? <Inside of={of} /> : null}
    </div>
  )
}

/** A value's type and rules in one line. */
export const Kind = ({ of }: SchemaProps) => {
  const reading = useReading()
  const rules = rulesOf(resolved(reading.document, of).node)
  return (
    <>
      <span class="kind">{kindOf(reading, of)}</span>
      {rules.length === 0 ? null : <span class="rules"> {rules.join(" · ")}</span>}
    </>
  )
}
