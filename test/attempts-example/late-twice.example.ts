import { it } from "vitest"

it("never ends", () => new Promise(() => {}), 50)
