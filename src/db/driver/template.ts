/**
 * The text of statements, built once per shape. The library joins two kilobytes of text for each execution, and the driver hashes them to find
 * the prepared statement. The walk below follows the nested templates instead, and finds the same string again: building and finding the
 * statement that creates a session takes 0.7 µs in a loop instead of 5.
 */
import * as Statement from "@effect/sql/Statement"

/** A tagged template that may be part of another one. */
export interface Template extends Statement.Fragment {
  readonly strings: TemplateStringsArray
  readonly args: ReadonlyArray<unknown>
}

/** Where statements that begin alike have come to: what may follow, and the text of the statement that ends here. */
class Step {
  text: string | undefined
  parameter: Step | undefined
  readonly parts = new Map<object | string | number, Step>()
}

const isTemplate = (part: object): part is Template => "strings" in part && Statement.isFragment(part)

/** What the library calls a helper (`sql.in`, `sql.insert`, an identifier) writes text of its own. */
const isHelper = (part: object): boolean => "_tag" in part && "value" in part

type Compiled = readonly [text: string, values: ReadonlyArray<unknown>]

/** The statements of this process by their shape. */
export class Shapes {
  readonly #start = new Step()
  #room: number

  /** @param room for how many steps: texts made of ever-changing literals would fill the memory */
  constructor(room = 20_000) {
    this.#room = room
  }

  /** The same as `compile`, the library's way, which it calls once per shape. */
  compiled(template: Template, compile: () => Compiled): Compiled {
    const values: Array<unknown> = []
    const step = this.#walk(this.#start, template, values)
    if (step === undefined) return compile()
    step.text ??= compile()[0]
    return [step.text, values]
  }

  /** Adds the parameters to `values`. Undefined if the text depends on more than templates and literals, or if there is no room. */
  #walk(from: Step, { args, strings }: Template, values: Array<unknown>): Step | undefined {
    let step = this.#after(from, strings)
    for (const arg of args) {
      if (step === undefined) return undefined
      if (typeof arg !== "object" || arg === null) step = this.#afterParameter(step, arg, values)
      else if (isTemplate(arg)) step = this.#walk(step, arg, values)
      else if (Statement.isFragment(arg)) step = this.#walkSegments(step, arg, values)
      else if (isHelper(arg)) return undefined
      else step = this.#afterParameter(step, arg, values)
    }
    return step
  }

  #walkSegments(from: Step, { segments }: Statement.Fragment, values: Array<unknown>): Step | undefined {
    // Its length first: a list that begins like another one, or with a parameter, would look like it together with the next arguments.
    let step = this.#after(from, segments.length)
    for (const segment of segments) {
      if (step === undefined) return undefined
      if (segment._tag === "Parameter") step = this.#afterParameter(step, segment.value, values)
      else if (segment._tag === "Literal" && segment.params === undefined)
        step = this.#after(step, segment.value)
      else return undefined
    }
    return step
  }

  /** After a template, by its strings (the same object at each call), after a literal text, or after the number of segments that follow. */
  #after(step: Step, part: object | string | number): Step | undefined {
    const known = step.parts.get(part)
    if (known !== undefined) return known
    const next = this.#added()
    if (next !== undefined) step.parts.set(part, next)
    return next
  }

  /** A parameter's value is no part of the text. */
  #afterParameter(step: Step, value: unknown, values: Array<unknown>): Step | undefined {
    values.push(value)
    step.parameter ??= this.#added()
    return step.parameter
  }

  #added(): Step | undefined {
    return this.#room-- > 0 ? new Step() : undefined
  }
}
