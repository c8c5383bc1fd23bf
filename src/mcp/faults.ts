/** Bugs in tools: the agent gets a sentence, and the operator a line in the log. */
import { refused } from "./contract-tools.ts"
import type { Toolbox } from "./protocol.ts"

/** The class of an error and its places in the code, without its message. */
export const placesIn = (error: unknown): string =>
  error instanceof Error
    ? [
        error.constructor.name,
        ...(error.stack ?? "").split("\n").filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line))
      ].join("\n")
    : typeof error

/**
 * A toolbox that never throws: the SDK would answer with the message of the error, and nobody would log it.
 *
 * @param report gets the name of the tool, or `tools/list`, and the error
 */
export const surviving = (
  { call, list }: Toolbox,
  report: (tool: string, error: unknown) => void
): Toolbox => ({
  list: async () => {
    try {
      return await list()
    } catch (error) {
      report("tools/list", error)
      throw new Error("Failed to answer message")
    }
  },
  call: async (name, given) => {
    try {
      return await call(name, given)
    } catch (error) {
      report(name, error)
      return refused(500, "failed-to-answer-message", "Failed to answer message")
    }
  }
})
