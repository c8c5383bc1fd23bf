/** The seed of all random choices of a run, so that a run can be repeated. */
import { spawnSync } from "node:child_process"
import * as fc from "fast-check"

/** The first 31 bits of the commit; without Git: 1. */
const ofCommit = (): number => {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" })
  return /^[0-9a-f]{40}/.test(stdout) ? Number.parseInt(stdout.slice(0, 8), 16) >>> 1 : 1
}

/** Chooses the seed for this process and those that it starts: `SEED`, or the commit's. */
export const chooseSeed = (): void => {
  process.env.SEED ??= String(ofCommit())
}

/** Properties draw from the seed of the run. */
export const useSeed = (): void => {
  fc.configureGlobal({ seed: Number(process.env.SEED) })
}
