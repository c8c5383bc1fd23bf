/** Error codes: each row has one, no two sentences share one, and none ever changes. */
import { expect, it } from "vitest"
import { failureRows, routes } from "../support/contract.ts"
import { errors } from "../support/error-codes.ts"

const grouped = (key: (error: (typeof errors)[number]) => string, value: typeof key) =>
  [...Map.groupBy(errors, key)].map(([name, same]) => [name, [...new Set(same.map(value))]] as const)

it("every code is kebab-case and short enough to read", () => {
  expect(
    errors.map(({ code }) => code).filter((code) => !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(code))
  ).toEqual([])
})

it("each code has one message, or one with a detail", () => {
  const withDetail = new Set(failureRows.filter(({ isConstant }) => !isConstant).map(({ code }) => code))
  const shared = grouped(
    ({ code }) => code,
    ({ message }) => message
  ).filter(([code, messages]) => messages.length > 1 && !withDetail.has(code))
  expect(shared).toEqual([])
})

it("each message has one code", () => {
  const several = grouped(
    ({ message }) => message,
    ({ code }) => code
  ).filter(([, codes]) => codes.length > 1)
  expect(several).toEqual([])
})

it("the codes match the golden list: lines may be added, but never changed or removed", async () => {
  const lines = new Set(errors.map(({ code, message }) => `${code}: ${message}`))
  // Read here, too: to renew the file must not be enough to take a line out of it.
  const golden = await Bun.file(`${import.meta.dirname}/error-codes.golden.txt`).text()
  const promised = golden.trimEnd().split("\n")
  expect(promised.length).toBeGreaterThan(100)
  expect(promised.filter((line) => !lines.has(line))).toEqual([])
  await expect(`${[...lines].sort().join("\n")}\n`).toMatchFileSnapshot("./error-codes.golden.txt")
})

it("docs/guides/error-codes.md says of every code its status, its sentence and what to do", async () => {
  const page = await Bun.file(`${import.meta.dirname}/../../docs/guides/error-codes.md`).text()
  const rows = [
    ...page.matchAll(/^\| <a id="([\w-]+)"><\/a>`([\w-]+)` +\| ([\d, ]+?) +\| (.*?) +\| (.*?) +\|$/gm)
  ].map(([, anchor, code, statuses, meaning = "", help]) => ({ anchor, code, statuses, meaning, help }))
  const known = [...Map.groupBy(errors, ({ code }) => code)].sort(([one], [other]) => (one < other ? -1 : 1))
  expect(rows.map(({ anchor, code, statuses }) => ({ anchor, code, statuses }))).toEqual(
    known.map(([code, all]) => ({
      anchor: code,
      code,
      statuses: [...new Set(all.map(({ status }) => status))].sort().join(", ")
    }))
  )
  // A sentence with a detail is not repeated.
  const withDetail = new Set([
    ...failureRows.flatMap(({ code, isConstant }) => (isConstant ? [] : [code])),
    ...routes.flatMap(({ metadata }) => (metadata?.rejectPatterns ?? []).map(({ code }) => code)),
    "scope-missing"
  ])
  const wrong = rows.filter(
    ({ code = "", meaning }) =>
      !withDetail.has(code) &&
      !errors.some(
        (error) => error.code === code && meaning.replaceAll("\\", "").startsWith(`${error.message}.`)
      )
  )
  expect(wrong).toEqual([])
  expect(rows.filter(({ help, meaning }) => help === "" || meaning === "")).toEqual([])
})

it("the example of a pattern matches it", () => {
  const wrong = routes.flatMap(({ metadata, name }) =>
    (metadata?.rejectPatterns ?? []).flatMap(({ example, pattern }) => (pattern.test(example) ? [] : [name]))
  )
  expect(wrong).toEqual([])
})
