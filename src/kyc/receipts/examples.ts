const token = "kyc_sess_ffOX0000000000000000000000000000000000000000000000000"

const key = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13",
  use: "sig",
  alg: "EdDSA"
}

export const examples = {
  issue: { request: { token }, response: { receipt: "eyJhbGciOiJFZERTQSJ9.eyJ2IjoxfQ.c2lnbmF0dXJl" } },
  keys: { response: { keys: [key] } }
}
