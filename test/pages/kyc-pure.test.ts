/** What the KYC page works out by itself, without a browser. */
import { pbkdf2Sync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { norm } from "../../src/kyc/dedup/identity-model.ts"
import { pbkdf2 } from "../../src/web/kyc/captcha/pbkdf2.ts"
import { keyHash } from "../../src/web/kyc/dedup/duplicate.ts"
import { measure } from "../../src/web/kyc/files/image.ts"
import { type Grey, hintFor, lookAt } from "../../src/web/kyc/hints/frame.ts"
import { chooseLocale } from "../../src/web/kyc/i18n/i18n.ts"
import { readConfig, webAddress } from "../../src/web/kyc/instances/config.ts"
import { failure, readRules, skipped } from "../../src/web/kyc/instances/rules.ts"
import { colourProperties } from "../../src/web/kyc/instances/theme.ts"
import { readWorkflow } from "../../src/web/kyc/instances/workflow.ts"
import { sha256 } from "../../src/web/kyc/sha256.ts"
import { ageOn } from "../../src/web/kyc/steps/dates.ts"
import { checkDigit, readZone } from "../../src/web/kyc/steps/mrz.ts"

describe("hashes without WebCrypto", () => {
  it.each(["", "abc", "x".repeat(55), "x".repeat(56), "x".repeat(64), "ü".repeat(500)])(
    "SHA-256 of %j",
    (text) => {
      expect(sha256(text)).toBe(new Bun.CryptoHasher("sha256").update(text).digest("hex"))
    }
  )

  it("PBKDF2 as the captcha requires it", () => {
    const password = crypto.getRandomValues(new Uint8Array(20))
    const salt = crypto.getRandomValues(new Uint8Array(16))
    const expected = pbkdf2Sync(password, salt, 500, 32, "sha256")
    expect(Buffer.from(pbkdf2(password, salt, 500, 32)).equals(expected)).toBe(true)
  })
})

describe("the key hash of a document", () => {
  const vector = "d5b809910c48e00f61225dbcee51547ae68abb913eed4df9dadc4e2827123978"

  it.each(["K0307756", "k 0307-756", "Ｋ０３０７７５６"])("of %s is that of the test vector", (number) => {
    const document = { kind: "document", country: "EST", type: "passport", number } as const
    expect(keyHash("9f1c2d7e5b", document)).toBe(vector)
  })

  it("differs by type, country and company", () => {
    const document = { kind: "document", country: "EST", type: "passport", number: "K0307756" } as const
    const others = [
      keyHash("other", document),
      keyHash("9f1c2d7e5b", { ...document, country: "LVA" }),
      keyHash("9f1c2d7e5b", { ...document, type: "id_card" })
    ]
    expect(new Set([vector, ...others]).size).toBe(4)
  })

  it("and that of a person does not depend on the spelling, and has its own preimage", () => {
    const person = {
      kind: "person",
      nationality: "EST",
      dateOfBirth: "1990-01-02",
      familyName: "O'Neill"
    } as const
    const preimage = '["kyc-dedup","v1","9f1c2d7e5b","person","EST","19900102","ANNAMARIA","ONEILL"]'
    const expected = new Bun.CryptoHasher("sha256").update(preimage).digest("hex")
    for (const givenName of ["Anna-Maria", "anna maria", "ＡＮＮＡ Maria"]) {
      expect(keyHash("9f1c2d7e5b", { ...person, givenName })).toBe(expected)
    }
  })

  it("keeps letters of every script", () => expect(norm("ж-12 é")).toBe("Ж12É"))
})

describe("machine-readable zones (ICAO 9303)", () => {
  const td3 = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"
  const td1 = "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<"

  it.each([
    ["L898902C3", 6],
    ["740812", 2],
    ["120415", 9]
  ])("the check digit of %s is %i", (field, digit) => expect(checkDigit(field)).toBe(digit))

  it("reads a passport and an identity card", () => {
    const common = { country: "UTO", expiry: "2012-04-15", valid: true }
    expect(readZone(td3)).toEqual({ ...common, number: "L898902C3" })
    expect(readZone(td1.toLowerCase())).toEqual({ ...common, number: "D23145890" })
  })

  it("reads a number that continues in the optional data, with its own check digit", () => {
    // The number of the Belgian specimen card: 600001476935, check digit 5.
    const lines = (digit: number) => {
      const first = `IDBEL600001476<935${digit}`.padEnd(30, "<")
      const second = "7408122F1204159BEL<<<<<<<<<<<"
      const composite = first.slice(5) + second.slice(0, 7) + second.slice(8, 15) + second.slice(18)
      return `${first}\n${second}${checkDigit(composite)}\nERIKSSON<<ANNA<MARIA<<<<<<<<<<`
    }
    expect(readZone(lines(5))).toMatchObject({ number: "600001476935", valid: true })
    expect(readZone(lines(6))).toMatchObject({ valid: false })
  })

  it("detects a mistyped character and text that is not a zone", () => {
    expect(readZone(td3.replace("L898902C3", "L898902C4"))?.valid).toBe(false)
    expect(readZone("P<UTO")).toBeUndefined()
    expect(readZone(td3.replace("ERIKSSON", "ERIKSSÖN"))).toBeUndefined()
  })
})

describe("a partner's colour", () => {
  const properties = (primary: string, onPrimary?: string) => colourProperties({ primary, onPrimary })

  it("gets white or black text, whichever is legible, and is a text colour only if legible itself", () => {
    expect(properties("#006b3c")).toMatchObject({
      "--primary": "#006b3c",
      "--accent": "light-dark(#006b3c, #9db8ff)"
    })
    expect(properties("#ffee88")).toMatchObject({
      "--primary": "#ffee88",
      "--on-primary": "#000000",
      "--accent": "light-dark(#1f4fd8, #ffee88)"
    })
  })

  it("keeps its own text colour even if that is illegible on it", () => {
    expect(properties("#ffee88", "#ffffff")).toEqual({})
    expect(properties("#ffee88", "#102030")).toMatchObject({ "--on-primary": "#102030" })
  })

  it("cannot contain other CSS", () => {
    for (const colour of ["red", "#12", "url(https://evil.test)", "#1f5effff", "var(--x)"]) {
      expect(properties(colour), colour).toEqual({})
    }
  })
})

const rule = (after: string, condition: object, consequence: object) => ({
  after,
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: the workflow's format calls it so, and nobody awaits it
  then: consequence
})

describe("a workflow", () => {
  const types = (workflow: Record<string, unknown>) => readWorkflow(workflow).steps.map(({ type }) => type)
  const usual = ["consent", "document", "form", "review"]

  it.each([[{}], [{ steps: [] }], [{ steps: "all" }], [{ nodes: [{ id: "a" }] }], [{ steps: [1, null] }]])(
    "%j gets the default steps, with the captcha in the background",
    (workflow) => {
      expect(types(workflow)).toEqual(usual)
      expect(readWorkflow(workflow).captcha).toBe(true)
    }
  )

  it("keeps an unknown step as unknown, and ignores unknown fields", () => {
    expect(
      types({
        steps: [
          { id: "x", type: "video-call" },
          { type: "review", colour: "red" }
        ]
      })
    ).toEqual(["unknown", "review"])
  })

  it("has rules that skip and that fail, and drops unknown ones", () => {
    const rules = readRules([
      rule("person", { path: "person.nationality", op: "in", value: ["XXX"] }, { fail: "NO" }),
      rule("doc", { path: "doc.type", op: "eq", value: "passport" }, { skip: ["poa"] }),
      rule("doc", { path: "doc.type", op: "eval", value: "1" }, { fail: "EVAL" })
    ])
    expect(rules).toHaveLength(2)
    expect(failure(rules, { person: { nationality: "XXX" } })).toBe("NO")
    expect(failure(rules, { person: { nationality: "EST" } })).toBeUndefined()
    expect([...skipped(rules, { doc: { type: "passport" } })]).toEqual(["poa"])
    expect([...skipped(rules, {})]).toEqual([])
  })

  it("counts years by birthdays", () => {
    expect(ageOn("2008-11-21", new Date(2026, 10, 20))).toBe(17)
    expect(ageOn("2008-11-20", new Date(2026, 10, 20))).toBe(18)
    expect(ageOn("yesterday", new Date())).toBeUndefined()
    expect(ageOn("2001-02-31", new Date())).toBeUndefined()
  })
})

describe("a config", () => {
  it("of any shape has every default", () => {
    const nothing = readConfig({})
    expect(
      readConfig({ theme: [], captcha: 1, dedup: "on", capture: null, redirect: {}, locales: "en" })
    ).toEqual(nothing)
    expect(nothing).toMatchObject({ dedup: { onMatch: "review" }, capture: { camera: true, upload: true } })
  })

  it("offers an alternative to users without a camera", () => {
    expect(readConfig({ capture: { sources: [] } }).capture).toMatchObject({ camera: true, upload: true })
    expect(readConfig({ capture: { sources: ["upload"] } }).capture).toMatchObject({
      camera: false,
      upload: true
    })
  })

  it("links to http and https only", () => {
    expect(webAddress("https://acme.test/privacy")).toBe("https://acme.test/privacy")
    for (const address of [
      "javascript:alert(1)",
      "\tjava\nscript:alert(1)",
      "data:text/html,x",
      "/privacy",
      1
    ]) {
      expect(webAddress(address), String(address)).toBeUndefined()
    }
  })
})

it("chooses the first preferred language that is offered", () => {
  expect(chooseLocale([undefined, "pt", "de-AT", "en"], ["en", "de"])).toBe("de")
  expect(chooseLocale(["xx"], ["et"])).toBe("et")
})

it("measures sharpness: a flat image is not sharp, a striped one is", () => {
  const flat = new Float32Array(400).fill(20)
  const striped = Float32Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? 0 : 255))
  expect(measure(flat, 20)).toEqual({ brightness: 20, sharpness: 0 })
  expect(measure(striped, 20).sharpness).toBeGreaterThan(1000)
})

describe("a frame of the camera", () => {
  const [width, height] = [320, 220]
  const outline = { x: 40, y: 30, width: 240, height: 160 }
  /** A printed card that fills the outline, on a darker table. */
  const frameOf = (
    change: (column: number, row: number, value: number) => number = (_c, _r, value) => value
  ): Grey => ({
    width,
    height,
    pixels: Uint8Array.from({ length: width * height }, (_, i) => {
      const [column, row] = [i % width, Math.floor(i / width)]
      const inside = column >= 40 && column < 280 && row >= 30 && row < 190
      const printed = inside && row % 12 < 6 && column % 7 < 3
      return change(column, row, inside ? (printed ? 60 : 200) : 70)
    })
  })
  const good = frameOf()
  const hintOf = (frame: Grey, before: Grey = frame) => hintFor(lookAt(frame, before, outline), "document")

  it("can be taken if it is sharp, steady and whole", () => {
    expect(lookAt(good, good, outline)).toMatchObject({ motion: 0, sides: 4, glare: 0 })
    expect(hintOf(good)).toBeUndefined()
  })

  it("is described by what is most wrong with it", () => {
    expect(hintOf(frameOf((_c, _r, value) => value / 5))).toBe("hintDark")
    expect(hintOf(frameOf(() => 240))).toBe("hintBright")
    expect(
      hintOf(
        frameOf((column, row, value) => (column > 80 && column < 180 && row > 60 && row < 150 ? 255 : value))
      )
    ).toBe("hintGlare")
    expect(hintOf(frameOf(() => 120))).toBe("hintOutline")
    expect(
      hintOf(
        frameOf((column, row, value) =>
          column >= 40 && column < 280 && row >= 30 ? Math.max(value, 199) : value
        )
      )
    ).toBe("hintCutOff")
    expect(
      hintOf(
        good,
        frameOf((column, _r, value) => (column % 2 === 0 ? value : 255 - value))
      )
    ).toBe("hintMoving")
    // Flat inside, so that nothing could be read.
    expect(hintOf(frameOf((_c, _r, value) => (value === 60 ? 200 : value)))).toBe("hintBlurred")
  })
})
