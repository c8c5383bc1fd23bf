/** How the processes that run tests are started. Their runtime reads these variables when it starts. */

/**
 * Chooses settings for processes that live for minutes: memory that was freed is kept, because giving it back took a quarter of a server's
 * start, and nothing is compiled for the longest loops.
 */
export const tuneProcesses = (): void => {
  process.env.MIMALLOC_PURGE_DELAY ??= "-1"
  process.env.BUN_JSC_useFTLJIT ??= "0"
}

const isWatching = process.argv.includes("--watch") || process.argv.includes("-w")

/**
 * What Bun loads by itself, in a fraction of the time that Vitest takes. Not in watch mode, where Vitest looks for the tests that a changed
 * file concerns.
 */
export const loadedByBun = [/\/node_modules\//, ...(isWatching ? [] : [/\/src\//, /\/test\/support\//])]
