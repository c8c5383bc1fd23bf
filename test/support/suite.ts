import { layer } from "@effect/vitest"
import type * as Layer from "effect/Layer"

/**
 * Tests that share what a layer gives, such as a server or a company: `suite(Partner.layer)("Complete", (it) => ...)`. It is made once,
 * before the first of them.
 *
 * They have the machine's own clock. The test services of @effect/vitest stop the clock, but only in the test: the server would go on.
 */
export const suite = <R, E>(shared: Layer.Layer<R, E>) => layer(shared, { excludeTestServices: true })
