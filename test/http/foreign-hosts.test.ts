import { expect, it } from "vitest"
import { isForeignHost } from "../../src/http/runtime/hosts.ts"

const isForeign = isForeignHost(["http://localhost:3000", "https://Mine.example:8443/path"])

for (const [host, foreign] of [
  ["localhost", false],
  ["LOCALHOST:4101", false],
  ["localhost.", false],
  ["api.localhost:1", false],
  ["127.0.0.1:4101", false],
  ["127.8.8.8", false],
  ["[::1]:4101", false],
  ["mine.example", false],
  ["mine.example:1", false],
  ["attacker.example:4101", true],
  ["localhost.attacker.example", true],
  ["127.0.0.1.attacker.example", true],
  ["xlocalhost", true],
  ["mine.example.attacker.example", true],
  ["192.168.0.1:4101", true],
  ["[::ffff:127.0.0.1]", true],
  ["0.0.0.0", true]
] as const) {
  it(`Host: ${host} is ${foreign ? "foreign" : "this service's"}`, () => {
    expect(isForeign(new Headers({ host }))).toBe(foreign)
  })
}
