/** Limits the cost of processing a document, so that none blocks its thread or exhausts the memory. */

/** More was requested than the allowance permits. */
export class AllowanceSpent extends Error {
  readonly of: "steps" | "bytes"

  constructor(of: "steps" | "bytes") {
    super(`All allowed ${of} are spent`)
    this.of = of
  }
}

/** A budget of steps or bytes. */
export class Allowance {
  /** The amount used so far. */
  spent = 0

  readonly #of: AllowanceSpent["of"]
  readonly #most: number

  constructor(of: AllowanceSpent["of"], most: number) {
    this.#of = of
    this.#most = most
  }

  /** Throws `AllowanceSpent` if less than `count` is left. */
  take(count: number): void {
    this.spent += count
    if (this.spent > this.#most) throw new AllowanceSpent(this.#of)
  }
}

/** Steps for one document. A real document of 1 MiB takes a tenth of them, and all of them take seconds. */
const maxSteps = 50_000_000

export const stepsOfDocument = (): Allowance => new Allowance("steps", maxSteps)

/** Maximum bytes of a document in the description of published APIs. The same limit applies to all documents of one publisher together. */
export const maxExportedSize = 4_194_304

/** Maximum bytes produced while exporting one document. Some are counted both before and after they are put into a longer name. */
export const maxMade = 2 * maxExportedSize

export const bytesOfDocument = (): Allowance => new Allowance("bytes", maxMade)

/**
 * Steps for the names and descriptions of all of a publisher's APIs together. A hundred APIs with ten thousand characters each take half of
 * them.
 */
const maxStepsOfWords = 10_000_000

export const stepsOfWords = (): Allowance => new Allowance("steps", maxStepsOfWords)

/** The budget of bytes for the same texts. */
export const bytesOfWords = (): Allowance => new Allowance("bytes", maxExportedSize)
