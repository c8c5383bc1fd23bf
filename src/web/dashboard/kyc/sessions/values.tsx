import type { ComponentChildren } from "preact"
import { isObject } from "../../../json.ts"
import { labelOf } from "../../common/words.ts"

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null

const plain = (value: unknown): ComponentChildren => {
  if (value === null || value === undefined || value === "") return <span class="faint">None</span>
  if (typeof value === "boolean") return value ? "Yes" : "No"
  return String(value)
}

/** JSON of any shape as labels and values. */
export const Values = ({ of }: { readonly of: unknown }): ComponentChildren => {
  if (isPlain(of)) return plain(of)
  if (Array.isArray(of)) {
    if (of.length === 0) return <span class="faint">None</span>
    if (of.every(isPlain)) return of.map(String).join(", ")
    return (
      <ul class="values">
        {of.map((item, index) => (
          <li key={index}>
            <Values of={item} />
          </li>
        ))}
      </ul>
    )
  }
  const entries = isObject(of) ? Object.entries(of) : []
  if (entries.length === 0) return <span class="faint">None</span>
  return (
    <dl class="values">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{labelOf(key)}</dt>
          <dd>
            <Values of={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
