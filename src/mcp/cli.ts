import { Effect } from "effect"
import { command } from "../cli/command.ts"
import { installationAt, reasonOf } from "../cli/installation.ts"
import { Surroundings } from "../cli/surroundings.ts"
import { Timing } from "../shared/timing.ts"

const serve = command(
  "mcp",
  "Serve an agent's tools over standard input and output (MCP), from the installation at DOORLOCK_URL, with the key in DOORLOCK_API_KEY.",
  {},
  () =>
    Effect.gen(function* () {
      const { DOORLOCK_URL: url = "" } = (yield* Surroundings).environment
      const installation = yield* installationAt("DOORLOCK_URL", url || "http://localhost:3000", {
        name: "agent",
        scopes: ["kyc:instances:read", "kyc:sessions:read", "events:read"]
      })
      const { serve } = yield* Effect.promise(() => import("./stdio.ts"))
      yield* serve({ ...installation, reasonOf, timing: yield* Timing })
      // Standard output belongs to the protocol.
      return { text: "" }
    })
)

/** For agents on the machine of whoever starts them. */
export const mcp = { commands: [serve] }
