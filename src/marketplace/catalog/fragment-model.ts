/** The stored form of a document's part in the description of published APIs. */
export interface StoredFragment {
  /** The sections, concatenated. */
  readonly content: string
  /** Length of each section in bytes. */
  readonly lengths: ReadonlyArray<number>
}

/** A sentence with the document's problem, or its fragment if there is none. */
export type Checked = { readonly problem: string } | { readonly fragment: StoredFragment }
