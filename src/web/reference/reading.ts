/** What the components that show an OpenAPI document need of their page. */
import type { ComponentChildren, FunctionComponent, JSX } from "preact"
import { requiredContext } from "../context.ts"
import type { Json } from "../json.ts"

/** The parts that differ: the dashboard renders what the user opens, the documentation is complete without scripts. */
interface Parts {
  readonly Disclosure: FunctionComponent<{
    readonly summary: ComponentChildren
    readonly class?: string
    readonly open?: boolean
    readonly children: () => JSX.Element
  }>
  /** A text to copy. */
  readonly Snippet: FunctionComponent<{ readonly label: string; readonly text: string }>
  /** One or all of several contents, by name. */
  readonly Choice: FunctionComponent<{
    readonly label: string
    readonly names: ReadonlyArray<string>
    readonly children: (name: string) => JSX.Element
  }>
  readonly LongList: FunctionComponent<{
    readonly class: string
    readonly children: ReadonlyArray<JSX.Element>
  }>
}

export interface Reading {
  readonly document: Json
  /** The name of a component, for readers. */
  readonly nameOf: (component: string) => string
  readonly parts: Parts
  /** Whether `parts` render everything at once, so that what contains itself must end. */
  readonly isWhole: boolean
}

export const [ReadingProvider, useReading] = requiredContext<Reading>("Documentation outside of a document")
