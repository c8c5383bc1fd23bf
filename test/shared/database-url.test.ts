import { describe, expect, it } from "@effect/vitest"
import { serversOf, withoutSecrets } from "../../src/shared/database-url.ts"

describe("the servers that a URL names", () => {
  it.each([
    ["postgres://u:p@a:5432/d", ["postgres://u:p@a:5432/d"], "any"],
    ["postgres://u:p@a/d?sslmode=require", ["postgres://u:p@a/d?sslmode=require"], "any"],
    ["postgresql:///d?host=/run", ["postgresql:///d?host=/run"], "any"],
    ["/run/postgres d", ["/run/postgres d"], "any"],
    ["postgres://u:p%2C%40@a:1,b/d", ["postgres://u:p%2C%40@a:1/d", "postgres://u:p%2C%40@b/d"], "primary"],
    [
      "postgres://u:p@[::1]:1,b:2,c:3/d?sslmode=require&target_session_attrs=read-write&options=-c%20a%3Db",
      ["[::1]:1", "b:2", "c:3"].map((host) => `postgres://u:p@${host}/d?sslmode=require&options=-c%20a%3Db`),
      "read-write"
    ],
    ["postgres://a,b/d?target_session_attrs=any", ["postgres://a/d", "postgres://b/d"], "any"],
    ["postgres://proxy/d?target_session_attrs=primary", ["postgres://proxy/d"], "primary"]
  ] as const)("%s", (url, urls, accepted) => {
    expect(serversOf(url)).toEqual({ urls, accepted })
  })

  it.each([
    ...["standby", "prefer-standby", "read-only", ""].map(
      (value) =>
        [
          `postgres://a,b/d?target_session_attrs=${value}`,
          "target_session_attrs must be one of any, read-write, primary"
        ] as const
    ),
    ...["a,,b", "a,", ",a", "a,:5432"].map(
      (hosts) => [`postgres://${hosts}/d`, "each of several hosts must have a name"] as const
    ),
    ...["host=a,b", "host=a%2Cb", "port=1,2"].map(
      (parameter) =>
        [
          `postgres:///d?${parameter}`,
          "several hosts must be before the path, as in postgres://a:5432,b:5432/db"
        ] as const
    )
  ])("%s is refused", (url, message) => {
    expect(() => serversOf(url)).toThrow(message)
  })

  it.each([
    ["postgres://a,b/d", "standby"],
    ["postgres://a/d?target_session_attrs=standby", "standby"],
    ["postgres://proxy/d?target_session_attrs=any", "any"]
  ])("of reads: %s", (url, accepted) => {
    expect(serversOf(url, "reads").accepted).toBe(accepted)
    expect(() => serversOf("postgres://a,b/d?target_session_attrs=primary", "reads")).toThrow(
      "target_session_attrs must be one of any, standby"
    )
  })

  it("shows no password and no query string", () => {
    expect(withoutSecrets("postgres://u:secret@a:1,b:2/d?sslpassword=secret")).toBe("postgres://u@a:1,b:2/d")
    expect(withoutSecrets("/run/postgres d")).toBeUndefined()
  })
})
