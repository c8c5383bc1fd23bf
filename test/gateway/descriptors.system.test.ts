/** A process that can open no more files or sockets does not blame the upstream. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "@effect/vitest"

const program = join(import.meta.dirname, "../support/marketplace/descriptors-program.ts")

it("without descriptors, the limit is the gateway's, and no connection was refused", async () => {
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    'ulimit -n 100 && exec "$0" "$1"',
    process.execPath,
    program
  ])
  expect(stdout).toBe("connection_limit_reached")
})
