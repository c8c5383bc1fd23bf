/** What the form that tries an operation is made from. The page contains it as JSON. */
export interface Trial {
  readonly method: string
  /** With `{name}` for a parameter. */
  readonly path: string
  /** The names of the security schemes, of which one is needed; none if no credential is. */
  readonly credentials: ReadonlyArray<string>
  /** The scope that a platform key needs. */
  readonly scope?: string | undefined
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required: boolean
    /** The values that it may have; empty if it may have any. */
    readonly choices: ReadonlyArray<unknown>
  }>
  readonly body?:
    | { readonly required: boolean; readonly json?: unknown; readonly file?: string | undefined }
    | undefined
}
