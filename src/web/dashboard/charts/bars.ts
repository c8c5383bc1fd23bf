/** What a chart of stacked bars shows. */
export interface Bars {
  /** One for each bar. */
  readonly labels: ReadonlyArray<string>
  /** From the lowest part of a bar to the highest. `look` is the class of its colour. */
  readonly series: ReadonlyArray<{
    readonly name: string
    readonly look: string
    readonly values: ReadonlyArray<number>
  }>
}
