import type { VersionPlace } from "./exported-names.ts"
import type { Checked } from "./fragment-model.ts"

/** A text, and the versions whose upstreams are not to be named in it. */
export interface Words {
  readonly text: string
  readonly places: ReadonlyArray<VersionPlace>
}

/** What threads do with what publishers write: what goes in, and what comes out. Documents go as text, which is cheap to hand over. */
export interface DocumentJobs {
  /** Looks at a document, and makes of it what is published. */
  readonly check: {
    readonly input: { readonly text: string; readonly place: VersionPlace }
    readonly output: Checked
  }
  /** The texts without upstreams, in their order; empty where that takes too many steps. */
  readonly words: {
    readonly input: { readonly texts: ReadonlyArray<Words> }
    readonly output: ReadonlyArray<string>
  }
}

export type JobName = keyof DocumentJobs

/** To the thread. */
export type Asked = {
  readonly [Name in JobName]: { readonly name: Name } & DocumentJobs[Name]["input"]
}[JobName]

/** From the thread: it has what it needs and begins; then how that ended. */
export type Told =
  | { readonly is: "begun" }
  | { readonly is: "done"; readonly output: DocumentJobs[JobName]["output"] }
  | { readonly is: "failed"; readonly message: string }
