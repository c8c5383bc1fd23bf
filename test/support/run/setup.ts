import { effect, flakyTest, it, layer, prop, scoped } from "@effect/vitest"

/*
 * Runs before each test file. `layer` of @effect/vitest writes the testers of its group into the one `it` that all files of a process
 * share, so that `it.effect` outside a group would run with the services of a group of another file.
 */
Object.assign(it, { effect, scoped, prop, layer, flakyTest })
