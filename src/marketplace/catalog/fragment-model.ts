/** What a document becomes in the description of published APIs, as it is stored. */
export interface StoredFragment {
  /** The sections, one behind the other. */
  readonly content: string
  /** Bytes of each section. */
  readonly lengths: ReadonlyArray<number>
}

/** What is wrong with a document, as a sentence; or, where nothing is, what it becomes. */
export type Checked = { readonly problem: string } | { readonly fragment: StoredFragment }
