/** Shows the API's errors about parts of a document that have no control, and expands collapsed parts with errors. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { Alert, Button } from "../../../../ui/parts.tsx"
import { useControl } from "../../../common/form.tsx"
import { type Path, placeIn } from "../../../common/json/document.ts"
import { useEditing, useSpot, type Wrong } from "../../../common/json/editing.ts"

interface ProblemProps {
  readonly path: Path
  readonly label: string
}

const Objection = ({ message, path }: Wrong) => {
  const { root, showText } = useEditing()
  // The message may be about a value within the path.
  const wrong = { path: placeIn(root, message) ?? path, message }
  return (
    <Alert>
      <p>{message}</p>
      <Button onClick={() => showText(wrong)}>Show it in the JSON</Button>
    </Alert>
  )
}

/** The API's error about a part of the document that has no control. */
export const Problem = ({ label, path }: ProblemProps) => {
  const { name } = useSpot(path)
  const { error } = useControl({ name, label })
  return error === undefined ? null : <Objection path={path} message={error} />
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

/** The API's error about the whole document. Also expands every group with an error. */
export const DocumentProblem = ({ label }: Pick<ProblemProps, "label">) => {
  const place = useRef<HTMLDivElement>(null)
  const { name } = useSpot([])
  const { error } = useControl({ name, label })
  // Any new error in the form redraws this component first and the rest of the form right after. The microtask runs
  // after both, but before the form moves the focus to the error.
  useLayoutEffect(() => queueMicrotask(() => unfoldWrong(place.current?.parentElement)))
  return <div ref={place}>{error === undefined ? null : <Objection path={[]} message={error} />}</div>
}

interface GroupProps {
  readonly title: string
  readonly open?: boolean
  readonly children: ComponentChildren
}

/** A collapsible group of related controls. */
export const Group = ({ children, open = false, title }: GroupProps) => (
  <details class="group" open={open}>
    <summary>
      <h3>{title}</h3>
    </summary>
    <div class="group-body">{children}</div>
  </details>
)
