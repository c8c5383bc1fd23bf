import { createPublicKey, verify } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { newSecret, publicKeyOf, signWith } from "../../src/webhooks/signature.ts"

const id = "evt_0123456789abcdef0123456789abcdef"
const body = '{"type":"kyc.session.completed","data":{"external_reference":"Zoë 42"}}'
const now = () => Math.floor(Date.now() / 1000)

/** The headers of a delivery. */
const headers = (secrets: ReadonlyArray<string>, timestamp = now()) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signWith(secrets)(id, timestamp, body)
})

describe("Signatures v1 (HMAC)", () => {
  it("equal those of the standardwebhooks package", () => {
    const secret = newSecret("v1")
    const timestamp = now()
    expect(signWith([secret])(id, timestamp, body)).toBe(
      new Webhook(secret).sign(id, new Date(timestamp * 1000), body)
    )
  })

  it("equal the example of the package's own tests", () => {
    expect(
      signWith(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        '{"test": 2432232314}'
      )
    ).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
  })

  it("are verified by a receiver that knows any one of several secrets, and by no other", () => {
    const secrets = [newSecret("v1"), newSecret("v1a"), newSecret("v1")]
    for (const known of [secrets[0], secrets[2]]) {
      expect(new Webhook(known ?? "").verify(body, headers(secrets))).toStrictEqual(JSON.parse(body))
    }
    expect(() => new Webhook(newSecret("v1")).verify(body, headers(secrets))).toThrow(
      "No matching signature found"
    )
  })
})

describe("Signatures v1a (ed25519)", () => {
  const valid = (publicKey: string, signature: string, content: string) =>
    verify(
      null,
      Buffer.from(content),
      createPublicKey({
        key: {
          kty: "OKP",
          crv: "Ed25519",
          x: Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url")
        },
        format: "jwk"
      }),
      Buffer.from(signature.slice("v1a,".length), "base64")
    )

  it("are verified with the public key", () => {
    const secret = newSecret("v1a")
    const signature = signWith([secret])(id, 1614265330, body)
    expect(signature).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/)
    expect(valid(publicKeyOf(secret), signature, `${id}.1614265330.${body}`)).toBe(true)
    expect(valid(publicKeyOf(secret), signature, `${id}.1614265331.${body}`)).toBe(false)
    expect(valid(publicKeyOf(newSecret("v1a")), signature, `${id}.1614265330.${body}`)).toBe(false)
  })

  it("equal test 1 of RFC 8032, section 7.1, as to the key", () => {
    const bytes = (hex: string) => Buffer.from(hex, "hex").toString("base64")
    expect(
      publicKeyOf(`whsk_${bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")}`)
    ).toBe(`whpk_${bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")}`)
  })
})

describe("New secrets", () => {
  it("have the prefix of their scheme and 32 bytes", () => {
    for (const [scheme, prefix] of [
      ["v1", "whsec_"],
      ["v1a", "whsk_"]
    ] as const) {
      const secret = newSecret(scheme)
      expect(secret.startsWith(prefix)).toBe(true)
      expect(Buffer.from(secret.slice(prefix.length), "base64").length).toBe(32)
      expect(newSecret(scheme)).not.toBe(secret)
    }
  })
})
