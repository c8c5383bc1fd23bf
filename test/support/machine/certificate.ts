import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

const der = (tag: number, ...content: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(content)
  const { length: size } = body
  const length =
    size < 0x80
      ? Buffer.of(size)
      : size < 0x100
        ? Buffer.of(0x81, size)
        : Buffer.of(0x82, size >> 8, size & 0xff)
  return Buffer.concat([Buffer.of(tag), length, body])
}

const sequence = (...content: ReadonlyArray<Uint8Array>) => der(0x30, ...content)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const utcTime = (date: Date) =>
  der(
    0x17,
    Buffer.from(
      `${date
        .toISOString()
        .replace(/[-:T]|\.\d+/g, "")
        .slice(2)}`
    )
  )

const pem = (label: string, bytes: Uint8Array) =>
  [
    `-----BEGIN ${label}-----`,
    ...(Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? []),
    `-----END ${label}-----\n`
  ].join("\n")

export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** A self-signed certificate for one name (RFC 5280), and its key, both as PEM. @param days for how many more days it is valid */
export const certificateFor = (name: string, days = 2): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"))
  const named = sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(name)))))
  const day = 86_400_000
  const subjectAltName = sequence(objectId("551d11"), der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const authority = sequence(objectId("551d13"), der(0x04, sequence(der(0x01, Buffer.of(0xff)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    ecdsaWithSha256,
    named,
    sequence(utcTime(new Date(Date.now() - 10 * day)), utcTime(new Date(Date.now() + days * day))),
    named,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(subjectAltName, authority))
  )
  const signature = sign("sha256", body, privateKey)
  return {
    certificate: pem("CERTIFICATE", sequence(body, ecdsaWithSha256, der(0x03, Buffer.of(0), signature))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
