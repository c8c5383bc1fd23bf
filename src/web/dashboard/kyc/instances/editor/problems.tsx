/** What the API has against parts of a document for which there is no control, and what folds such parts up. */
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
  // The message may be about something within the place.
  const wrong = { path: placeIn(root, message) ?? path, message }
  return (
    <Alert>
      <p>{message}</p>
      <Button onClick={() => showText(wrong)}>Show it in the JSON</Button>
    </Alert>
  )
}

/** What the API has against a part of the document for which no control is there. */
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

/** What the API has against the whole document; and whatever it has something against is unfolded. */
export const DocumentProblem = ({ label }: Pick<ProblemProps, "label">) => {
  const place = useRef<HTMLDivElement>(null)
  const { name } = useSpot([])
  const { error } = useControl({ name, label })
  // Whatever becomes wrong in the form, this is drawn again, and the rest of it right after: then it is looked at, before the
  // form takes the focus to what is wrong.
  useLayoutEffect(() => queueMicrotask(() => unfoldWrong(place.current?.parentElement)))
  return <div ref={place}>{error === undefined ? null : <Objection path={[]} message={error} />}</div>
}

interface GroupProps {
  readonly title: string
  readonly open?: boolean
  readonly children: ComponentChildren
}

/** Controls that belong together, folded up until they are wanted. */
export const Group = ({ children, open = false, title }: GroupProps) => (
  <details class="group" open={open}>
    <summary>
      <h3>{title}</h3>
    </summary>
    <div class="group-body">{children}</div>
  </details>
)
