import type { Check } from "./check.ts"
import type { WholeCommand } from "./command.ts"
import type { LoadContract } from "./contract.ts"

/** What one feature adds to the command line. Each part may be left out. */
export interface Contribution {
  readonly commands?: ReadonlyArray<WholeCommand>
  /** Its checks for `doctor`. No other command loads them. */
  readonly checks?: () => Promise<{ readonly checks: ReadonlyArray<Check> }>
}

/** What the command line is made of. */
export interface CommandLine {
  readonly features: ReadonlyArray<Contribution>
  readonly contract: LoadContract
}
