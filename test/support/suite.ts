import { layer } from "@effect/vitest"
import type { Layer } from "effect"

/**
 * A group of tests that share a layer, such as a server or a company: `suite(Partner.layer)("Complete", (it)
 * => ...)`. The layer is built once, before the first test.
 *
 * The tests use the machine's own clock. @effect/vitest's test services would stop the clock, but only inside
 * the test, not in the server.
 */
export const suite = <R, E>(shared: Layer.Layer<R, E>) => layer(shared, { excludeTestServices: true })
