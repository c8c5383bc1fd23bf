/** What a check of `doctor` finds. */
export interface Finding {
  readonly status: "ok" | "warning" | "failed" | "skipped"
  /** What is so. */
  readonly message: string
  /** What to do about it, when it is not well. */
  readonly advice?: string
}

export const well = (message: string): Finding => ({ status: "ok", message })
export const doubtful = (message: string, advice: string): Finding => ({
  status: "warning",
  message,
  advice
})
export const failed = (message: string, advice: string): Finding => ({ status: "failed", message, advice })
export const skipped = (message: string): Finding => ({ status: "skipped", message })

/** What an error says first, as part of a sentence. */
export const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/[.?!](?:\s.*)?$/s, "")
