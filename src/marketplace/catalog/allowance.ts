/** Limits the cost of processing a document, so that none blocks its thread or exhausts the memory. */

export class AllowanceSpent extends Error {
  readonly of: "steps" | "bytes"

  constructor(of: "steps" | "bytes") {
    super(`All allowed ${of} are spent`)
    this.of = of
  }
}

/** A budget of steps or bytes. */
export class Allowance {
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

/** Steps for one document. A real document of 1 MiB takes a tenth of them; using all of them takes seconds. */
export const stepsOfDocument = (): Allowance => new Allowance("steps", 50_000_000)

/** Maximum bytes of one document in the description, and of all documents of one publisher. */
export const maxExportedSize = 4_194_304

/** Maximum bytes produced while exporting a document. Some count again as part of a longer name. */
export const maxMade = 2 * maxExportedSize

export const bytesOfDocument = (): Allowance => new Allowance("bytes", maxMade)

/** Steps for the texts of a publisher's APIs. A hundred with ten thousand characters each take half. */
export const stepsOfWords = (): Allowance => new Allowance("steps", 10_000_000)

export const bytesOfWords = (): Allowance => new Allowance("bytes", maxExportedSize)
