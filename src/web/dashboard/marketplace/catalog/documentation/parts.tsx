/** How the dashboard shows the parts of an OpenAPI document: it renders what the user opens. */
import type { ComponentProps } from "preact"
import { useState } from "preact/hooks"
import type { Reading } from "../../../../reference/reading.ts"
import { Snippet } from "../../../common/copy.tsx"
import { Disclosure } from "../../../common/disclosure.tsx"
import { Select } from "../../../common/fields.tsx"
import { useShown } from "../../../common/table.tsx"

type Parts = Reading["parts"]

const Choice = ({ children, label, names }: ComponentProps<Parts["Choice"]>) => {
  const [name, setName] = useState<string>()
  const [first, ...others] = names
  const chosen = names.find((known) => known === name) ?? first
  if (chosen === undefined) return null
  return (
    <>
      <p class="media-type">
        {others.length === 0 ? (
          <code>{chosen}</code>
        ) : (
          <Select
            aria-label={label}
            value={chosen}
            choices={names.map((known) => [known, known])}
            onChange={setName}
          />
        )}
      </p>
      {children(chosen)}
    </>
  )
}

const LongList = ({ children, class: look }: ComponentProps<Parts["LongList"]>) => {
  const { more, shown } = useShown(children)
  return (
    <>
      <ul class={look}>{shown}</ul>
      {more}
    </>
  )
}

export const parts: Parts = { Choice, Disclosure, LongList, Snippet }
