/** The document that is being edited, for the controls that each show one place of it. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Json } from "../../../json.ts"
import { at, type Path, written } from "./document.ts"

/** As the API calls them. */
export type DocumentName = "config" | "workflow"

/** What the API has against a place of a document. */
export interface Wrong {
  readonly path: Path
  readonly message: string
}

export interface Editing {
  readonly root: DocumentName
  readonly document: Json
  /** Puts a value at a place; undefined takes it away. */
  readonly change: (path: Path, value: unknown) => void
  /** The language whose texts are shown. */
  readonly language: string
  /** Shows the document as text, for what no control is about; and there what is wrong, if something is. */
  readonly showText: (wrong?: Wrong) => void
}

export const EditingContext = createContext<Editing | undefined>(undefined)

export const useEditing = (): Editing => {
  const editing = useContext(EditingContext)
  if (editing === undefined) throw new Error("A control outside of a document")
  return editing
}

interface Spot {
  /** As the API's messages have it. */
  readonly name: string
  readonly value: unknown
  readonly set: (value: unknown) => void
}

/** One place of the document. */
export const useSpot = (path: Path): Spot => {
  const { change, document, root } = useEditing()
  return { name: written(root, path), value: at(document, path), set: (value) => change(path, value) }
}
