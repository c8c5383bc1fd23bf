import { effect, flakyTest, it, layer, prop, scoped } from "@effect/vitest"
import { useSeed } from "./seed.ts"

useSeed()

/*
 * Runs before each test file. `layer` of @effect/vitest changes the one `it` that all files in a process
 * share. Without this, an `it.effect` outside a group would run with the services of another file's group.
 */
Object.assign(it, { effect, scoped, prop, layer, flakyTest })
