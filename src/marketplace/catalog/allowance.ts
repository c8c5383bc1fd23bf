/** What looking at a document may cost, so that none keeps its thread busy, or fills the memory. */

/** More was asked for than is allowed. */
export class AllowanceSpent extends Error {
  readonly of: "steps" | "bytes"

  constructor(of: "steps" | "bytes") {
    super(`All allowed ${of} are spent`)
    this.of = of
  }
}

/** So many steps, or bytes. */
export class Allowance {
  /** What has been taken of it. */
  spent = 0

  readonly #of: AllowanceSpent["of"]
  readonly #most: number

  constructor(of: AllowanceSpent["of"], most: number) {
    this.#of = of
    this.#most = most
  }

  /** Throws `AllowanceSpent` when that is more than is left. */
  take(count: number): void {
    this.spent += count
    if (this.spent > this.#most) throw new AllowanceSpent(this.#of)
  }
}

/** Steps for one document. A real document of 1 MiB takes a tenth of them; all of them are done within seconds. */
const maxSteps = 200_000_000

export const stepsOfDocument = (): Allowance => new Allowance("steps", maxSteps)
