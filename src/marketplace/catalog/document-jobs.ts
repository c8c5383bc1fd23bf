import type { VersionPlace } from "./exported-names.ts"
import type { Checked } from "./fragment-model.ts"

/** A text, and the versions with the upstreams that it must not name. */
export interface Words {
  readonly text: string
  readonly places: ReadonlyArray<VersionPlace>
}

/** The jobs of threads, by name. Documents are passed as text, which is cheap to transfer. */
export interface DocumentJobs {
  /** Checks a document and produces its published form. */
  readonly check: {
    readonly input: { readonly text: string; readonly place: VersionPlace }
    readonly output: Checked
  }
  /** The texts of one publisher without upstreams, in order. A text is empty if it takes too many steps. */
  readonly words: {
    readonly input: { readonly texts: ReadonlyArray<Words> }
    readonly output: ReadonlyArray<string>
  }
}

export type JobName = keyof DocumentJobs

/** A message to the thread. */
export type Asked = {
  readonly [Name in JobName]: { readonly name: Name } & DocumentJobs[Name]["input"]
}[JobName]

/** A message from the thread: the job begins, with all it needs loaded, and later its result. */
export type Told =
  | { readonly is: "begun" }
  | { readonly is: "done"; readonly output: DocumentJobs[JobName]["output"] }
  | { readonly is: "failed"; readonly message: string }
