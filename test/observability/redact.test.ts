/** What of a text and of a URL may stand in a log. */
import { describe, expect, it } from "@effect/vitest"
import { redact, redactUrl } from "../../src/observability/redact.ts"

const body = "abcDEF0123456789abcDEF0123456789abcDEF0123456789x"

describe("text", () => {
  it("loses each secret, whatever stands before it", () => {
    for (const prefix of ["dlk_", "kyc_sess_", "dls_", "dk_live_", "dk_test_"]) {
      for (const around of ["", "x", "_", "0", "/", '"', "=", "%22"]) {
        expect(redact(`a ${around}${prefix}${body} b`)).toBe(`a ${around}${prefix}[redacted] b`)
      }
    }
  })

  it("keeps ids, words and the bare prefix", () => {
    const text = "0197a0de-0000-7000-8000-000000000000 failed with dlk_ and a kyc_sess_ion"
    expect(redact(text)).toBe(text)
  })
})

describe("URL", () => {
  for (const [url, expected] of [
    ["/api/api-keys", "/api/api-keys"],
    ["/api/kyc/sessions?limit=5&status=running", "/api/kyc/sessions?limit=5&status=running"],
    ["/a?token=x", "/a?token=[redacted]"],
    ["/a?token=x=y", "/a?token=[redacted]"],
    ["/a?token", "/a?token=[redacted]"],
    ["/a?x=1&token=x&limit=2", "/a?x=[redacted]&token=[redacted]&limit=2"],
    [`/a?limit=${body}`, "/a?limit=[redacted]"],
    [`/a?${body}`, "/a?[redacted]=[redacted]"],
    ["/a?q=secret?limit=1", "/a?q=[redacted]"],
    ["/a#secret", "/a#[redacted]"],
    ["/a;token=secret?limit=1", "/a;[redacted]"],
    [`/a/dlk_${body}/b`, "/a/dlk_[redacted]/b"],
    [`/a/${body}/b`, "/a/[redacted]/b"],
    [`/a/${body.slice(0, 10)}-${body.slice(0, 10)}-${body}`, "/a/[redacted]"],
    [`/a/%64lk_${body}/b`, "/a/%[redacted]/b"],
    [
      "/api/kyc/sessions/0197a0de-0000-7000-8000-000000000000",
      "/api/kyc/sessions/0197a0de-0000-7000-8000-000000000000"
    ]
  ] as const) {
    it(url, () => {
      expect(redactUrl(url)).toBe(expected)
    })
  }
})
