/** @jsxImportSource preact */
/** A schema as a list of its members. Nested ones expand on demand, because schemas may be recursive. */
import { at, isObject, type Json, list, object } from "../json.ts"
import { plain, textOf } from "./document.ts"
import { Prose } from "./prose.tsx"
import { type Reading, useReading } from "./reading.ts"

/** The maximum length of a value in a rule, in characters. */
const maxShown = 200

const shown = (value: unknown): string => {
  const written = JSON.stringify(value) ?? ""
  return written.length > maxShown ? `${written.slice(0, maxShown)}…` : written
}

/** The maximum depth of nested lists that are named. */
const maxLists = 3

/** A schema's type in a few words: `array of Item`, `string (date)`. */
export const kindOf = (reading: Pick<Reading, "document" | "nameOf">, value: unknown, depth = 0): string => {
  if (value === true || value === undefined) return "anything"
  if (value === false) return "nothing"
  const { name, node, orNull } = plain(reading.document, value)
  if (name !== undefined) return `${reading.nameOf(name)}${orNull ? " or null" : ""}`
  const types = (Array.isArray(node.type) ? node.type : [node.type]).filter(
    (type) => typeof type === "string"
  )
  const values = types.filter((type) => type !== "null")
  const format = textOf(node.format)
  const words = values.map((type) => {
    if (type !== "array" || node.items === undefined || depth === maxLists) return type
    return `array of ${kindOf(reading, node.items, depth + 1)}`
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
  return `${kind}${format === "" ? "" : ` (${format})`}${orNull || types.length > values.length ? " or null" : ""}`
}

const bounds = [
  ["minimum", "at least"],
  ["exclusiveMinimum", "more than"],
  ["maximum", "at most"],
  ["exclusiveMaximum", "less than"],
  ["multipleOf", "a multiple of"],
  ["minLength", "minimum length"],
  ["maxLength", "maximum length"],
  ["minItems", "minimum items"],
  ["maxItems", "maximum items"],
  ["pattern", "matches"],
  ["default", "by default"]
] as const

/** A schema's other rules, in words. */
export const rulesOf = (schema: Json): ReadonlyArray<string> => [
  ...(schema.const === undefined ? [] : [`always ${shown(schema.const)}`]),
  ...(list(schema.enum).length === 0
    ? []
    : [`one of ${list(schema.enum).slice(0, 50).map(shown).join(", ")}`]),
  ...bounds.flatMap(([name, words]) =>
    schema[name] === undefined ? [] : [`${words} ${shown(schema[name])}`]
  ),
  ...(schema.readOnly === true ? ["only in responses"] : []),
  ...(schema.writeOnly === true ? ["only in requests"] : []),
  ...(schema.deprecated === true ? ["deprecated"] : [])
]

interface MemberProps {
  readonly name: string
  readonly required?: boolean
  readonly schema: unknown
}

/** The members of a schema: its properties, items, parts and alternatives. */
export const membersOf = (document: Json, schema: unknown): ReadonlyArray<MemberProps> => {
  const { node } = plain(document, schema)
  const required = new Set(list(node.required))
  const properties = object(node.properties)
  const others = object(node.additionalProperties)
  return [
    ...Object.keys(properties).map((name) => ({
      name,
      required: required.has(name),
      schema: at(properties, [name])
    })),
    ...(Object.keys(others).length === 0 ? [] : [{ name: "any other name", schema: others }]),
    ...(isObject(node.items) ? [{ name: "each item", schema: node.items }] : []),
    ...list(node.allOf).map((schema, index) => ({ name: `part ${index + 1}`, schema })),
    ...[...list(node.oneOf), ...list(node.anyOf)].map((schema, index) => ({
      name: `option ${index + 1}`,
      schema
    }))
  ]
}

interface DescribedProps {
  readonly name?: string
  /** Where a parameter or header belongs. */
  readonly place?: string
  readonly required?: boolean
  readonly schema: unknown
  /** By default, the schema's own description. */
  readonly description?: string
}

export const Described = ({ description, name, place, required = false, schema }: DescribedProps) => {
  const reading = useReading()
  const { node } = plain(reading.document, schema)
  const rules = rulesOf(node)
  return (
    <>
      <p class="member">
        {name === undefined ? null : <code>{name}</code>}{" "}
        {place === undefined ? null : <span class="faint">{place},</span>}{" "}
        <span class="kind">{kindOf(reading, schema)}</span>
        {required ? <span class="needed"> required</span> : null}
      </p>
      {rules.length === 0 ? null : <p class="rules">{rules.join(" · ")}</p>}
      <Prose text={description ?? textOf(node.description)} />
    </>
  )
}

interface MembersProps {
  readonly of: ReadonlyArray<MemberProps>
  /** The components that these are within. */
  readonly within: ReadonlyArray<string>
}

const Members = ({ of, within }: MembersProps) => {
  const { document, isWhole, parts } = useReading()
  return (
    <parts.LongList class="members">
      {of.map((member, index) => {
        const { name } = plain(document, member.schema)
        const isRecursive = isWhole && name !== undefined && within.includes(name)
        const inside = isRecursive ? [] : membersOf(document, member.schema)
        return (
          <li key={index}>
            <Described {...member} />
            {inside.length === 0 ? null : (
              <parts.Disclosure summary={`Members of ${member.name}`} class="inside">
                {() => <Members of={inside} within={name === undefined ? within : [...within, name]} />}
              </parts.Disclosure>
            )}
          </li>
        )
      })}
    </parts.LongList>
  )
}

export const Schema = ({ of }: { readonly of: unknown }) => {
  const { document } = useReading()
  const { name } = plain(document, of)
  const inside = membersOf(document, of)
  return (
    <div class="schema">
      <Described schema={of} />
      {inside.length === 0 ? null : <Members of={inside} within={name === undefined ? [] : [name]} />}
    </div>
  )
}
