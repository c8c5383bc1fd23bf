import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { Alert, Button } from "../../../../ui/parts.tsx"
import { useControl } from "../../../common/form.tsx"
import { placeIn } from "../../../common/json/document.ts"
import { useEditing, useSpot } from "../../../common/json/editing.ts"

interface ProblemProps {
  /** A place in the edited part of the document; empty for all of it. */
  readonly at: string
  readonly label: string
}

/** The API's error about a part of the document that has no control. */
export const Problem = ({ at, label }: ProblemProps) => {
  const { root, showText } = useEditing()
  const { name, path } = useSpot(at)
  const { error } = useControl({ name, label })
  return error === undefined ? null : (
    <Alert>
      <p>{error}</p>
      {/* The error may be about a value within the part. */}
      <Button onClick={() => showText({ path: placeIn(root, error) ?? path, message: error })}>
        Show in the JSON
      </Button>
    </Alert>
  )
}

const unfoldWrong = (within: Element | null | undefined): void => {
  for (const element of within?.querySelectorAll('[aria-invalid="true"], [role="alert"]') ?? []) {
    let details = element.closest("details")
    while (details !== null) {
      details.open = true
      details = details.parentElement?.closest("details") ?? null
    }
  }
}

/** The API's error about the whole document. Expands every group with an error. */
export const DocumentProblem = ({ label }: Pick<ProblemProps, "label">) => {
  const place = useRef<HTMLDivElement>(null)
  const { name } = useSpot("")
  // Renders this component again at any new error of the form.
  useControl({ name, label })
  // After the rest of the form has rendered, but before the form moves the focus.
  useLayoutEffect(() => queueMicrotask(() => unfoldWrong(place.current?.parentElement)))
  return (
    <div ref={place}>
      <Problem at="" label={label} />
    </div>
  )
}

interface GroupProps {
  readonly title: string
  readonly open?: boolean
  readonly children: ComponentChildren
}

export const Group = ({ children, open = false, title }: GroupProps) => (
  <details class="group" open={open}>
    <summary>
      <h3>{title}</h3>
    </summary>
    <div class="group-body">{children}</div>
  </details>
)
