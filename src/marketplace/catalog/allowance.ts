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
const maxSteps = 50_000_000

export const stepsOfDocument = (): Allowance => new Allowance("steps", maxSteps)

/** Bytes that a document may come to in the description of published APIs; of a publisher there are as many in all. */
export const maxExportedSize = 4_194_304

/** Bytes made for one document on the way there, at most: some are counted before and after they are put into a longer name. */
export const maxMade = 2 * maxExportedSize

export const bytesOfDocument = (): Allowance => new Allowance("bytes", maxMade)
