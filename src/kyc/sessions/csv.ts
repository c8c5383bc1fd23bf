import { stringify } from "csv-stringify/sync"

/** Lines of RFC 4180. A value that a spreadsheet would take for a formula gets an apostrophe in front. */
export const csvLines = (values: ReadonlyArray<ReadonlyArray<unknown>>): string =>
  stringify([...values], { escape_formulas: true, record_delimiter: "windows", quoted_match: /[\r\n]/ })
