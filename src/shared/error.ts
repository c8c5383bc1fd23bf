export const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

export const messageOf = (cause: unknown): string => toError(cause).message

/** Whether it is a system error with this code, such as `ENOENT`. */
export const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code
