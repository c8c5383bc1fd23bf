import { stringify } from "csv-stringify/sync"

/**
 * A sign that begins a formula, where a cell may begin: at the start of a value, and after what separates lines or cells. A spreadsheet that
 * separates cells otherwise does not respect the quotes around a value.
 */
const formulaSign = /(?<=(?:^|[\r\n\t,;|])[\s"]*)[=+\-@＝＋－＠]/g

/** Lines of RFC 4180 with every value in quotes. What a spreadsheet would take for a formula gets an apostrophe in front. */
export const csvLines = (values: ReadonlyArray<ReadonlyArray<unknown>>): string =>
  stringify([...values], {
    cast: { string: (value) => value.replace(formulaSign, "'$&") },
    quoted: true,
    quoted_empty: true,
    record_delimiter: "windows"
  })
