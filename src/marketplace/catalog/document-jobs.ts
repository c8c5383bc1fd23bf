import type { VersionPlace } from "./exported-names.ts"
import type { Fragment } from "./fragment.ts"

/** What is done with documents in their thread: what goes in, and what comes out. Documents go as text, which is cheap to hand over. */
export interface DocumentJobs {
  /** The sentence that says what is wrong with it, or undefined. */
  readonly check: {
    readonly input: { readonly text: string; readonly upstreams: VersionPlace["upstreams"] }
    readonly output: string | undefined
  }
  /** Its part of the description. */
  readonly fragment: {
    readonly input: { readonly text: string; readonly place: VersionPlace }
    readonly output: Fragment
  }
}

export type JobName = keyof DocumentJobs

/** To the thread. */
export type Asked = {
  readonly [Name in JobName]: { readonly name: Name } & DocumentJobs[Name]["input"]
}[JobName]

/** From the thread: it has what it needs and begins with the document; then how that ended. */
export type Told =
  | { readonly is: "begun" }
  | { readonly is: "done"; readonly output: DocumentJobs[JobName]["output"] }
  | { readonly is: "failed"; readonly message: string }
