/** Dials an upstream when the process can open no more files, and writes how that ends. */
import { closeSync, openSync } from "node:fs"
import { createServer } from "node:net"
import { UpstreamFault } from "../../../src/gateway/faults.ts"
import { Pool } from "../../../src/gateway/pool.ts"
import { upstreamOf } from "../../../src/gateway/upstream.ts"
import { patientTiming } from "../timing.ts"

const upstream = createServer()
await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve))
const bound = upstream.address()
const port = typeof bound === "object" ? bound?.port : undefined
const pool = new Pool(async () => ["127.0.0.1"], patientTiming)
const caller = { subscriberId: "subscriber", publisherId: "publisher" }
const { origin } = upstreamOf(new URL(`http://127.0.0.1:${port}`))

const opened: Array<number> = []
try {
  for (;;) opened.push(openSync("/dev/null", "r"))
} catch {
  // None is left.
}
const outcome = await pool.dial(origin, 60_000, caller).then(
  () => "connected",
  (fault: unknown) => (fault instanceof UpstreamFault ? fault.type : String(fault))
)
for (const descriptor of opened) closeSync(descriptor)
process.stdout.write(outcome)
process.exit()
