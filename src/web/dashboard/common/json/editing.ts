import { requiredContext } from "../../../context.ts"
import { at, type Json, type Path } from "../../../json.ts"
import { written } from "./document.ts"

export type DocumentName = "config" | "workflow"

/** An API error about the value at a path. */
export interface Wrong {
  readonly path: Path
  readonly message: string
}

export interface Editing {
  readonly root: DocumentName
  readonly document: Json
  /** The part of the document that the controls edit; empty for all of it. */
  readonly part: Path
  /** Undefined removes the value. */
  readonly change: (path: Path, value: unknown) => void
  /** The language of the texts on display. */
  readonly language: string
  /** Shows the document as text; with an error, jumps to it. */
  readonly showText: (wrong?: Wrong) => void
}

export const [EditingProvider, useEditing] = requiredContext<Editing>("A control outside of a document")

/** The value at a place in the edited part, such as `theme.primary`; an empty place is the part itself. */
export const useSpot = (place: string) => {
  const { change, document, part, root } = useEditing()
  const path = place === "" ? part : [...part, ...place.split(".")]
  return {
    path,
    /** The path as in API messages. */
    name: written(root, path),
    value: at(document, path),
    set: (value: unknown) => change(path, value)
  }
}
