/** Code, tests and pages cite rules of docs/contract.md by anchors that exist, and each link between pages leads to one. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "@effect/vitest"

const root = join(import.meta.dirname, "../..")

const contract = readFileSync(join(root, "docs/contract.md"), "utf8")

/** Anchors of rules, and those that a heading has on every common host of Markdown. */
const anchors = [
  ...[...contract.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor = ""]) => anchor),
  ...[...contract.matchAll(/^##? (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(" ", "-")
  )
]

const citations = ["src", "test", "migrations", "docs"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|tsx|sql|md)$/.test(path))
    .flatMap((path) =>
      [...readFileSync(join(root, folder, path), "utf8").matchAll(/contract\.md#([\w-]+)/g)].map(
        ([, anchor = ""]) => ({ file: `${folder}/${path}`, anchor })
      )
    )
)

it("each anchor exists once", () => {
  expect(anchors.length).toBeGreaterThan(50)
  expect(new Set(anchors).size).toBe(anchors.length)
})

it("every cited anchor exists", () => {
  expect(citations.length).toBeGreaterThan(80)
  expect(citations.filter(({ anchor }) => !anchors.includes(anchor))).toEqual([])
})

/** As the usual hosts of Markdown make them. */
const anchorsIn = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor = ""]) => anchor),
  ...[...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-")
  )
]

it("every link between pages leads to a file and an anchor that exist", () => {
  const pages = ["README.md", "src", "test", "docs"].flatMap((place) =>
    place.endsWith(".md")
      ? [place]
      : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
          .filter((path) => path.endsWith(".md") && !path.includes("node_modules/"))
          .map((path) => join(place, path))
  )
  const links = pages.flatMap((page) =>
    [
      ...readFileSync(join(root, page), "utf8")
        .replaceAll(/^ *```[\s\S]*?^ *```/gm, "")
        .matchAll(/\]\(([^()\s]+)\)/g)
    ].map(([, link = ""]) => ({ page, link }))
  )
  expect(links.length).toBeGreaterThan(400)
  const lost = links.filter(({ link, page }) => {
    if (URL.canParse(link)) return false
    const [path = "", anchor] = link.split("#")
    const target = path === "" ? join(root, page) : join(root, dirname(page), decodeURIComponent(path))
    if (!existsSync(target)) return true
    return (
      anchor !== undefined &&
      target.endsWith(".md") &&
      !anchorsIn(readFileSync(target, "utf8")).includes(anchor)
    )
  })
  expect(lost).toEqual([])
})
