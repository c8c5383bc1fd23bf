const challenge = {
  parameters: {
    algorithm: "PBKDF2/SHA-256",
    nonce: "b1946ac92492d2347c6235b4d2611184",
    salt: "591785b794601e212b260e25925636fd",
    cost: 5000,
    keyLength: 32,
    keyPrefix: "6f1ed002ab5595859014ebf0951522d9",
    expiresAt: 1_795_168_800,
    data: { siteKey: "kyc_pk_4Wq8sTnB2xLrV7cYpD1mKzE0", sessionId: "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13bc" }
  },
  signature: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
}

export const examples = {
  verify: {
    request: {
      token: "kyc_sess_ffOX0000000000000000000000000000000000000000000000000",
      captchaToken: "eyJhbGciOiJIUzI1NiJ9.eyJzaXRlS2V5Ijoia3ljIn0.c2lnbmF0dXJl",
      siteKey: "kyc_pk_4Wq8sTnB2xLrV7cYpD1mKzE0"
    },
    response: { ok: true, success: true, score: 0.7 }
  },
  challenge: { response: { challenge } },
  redeem: {
    request: {
      challenge,
      solution: {
        counter: 217,
        derivedKey: "6f1ed002ab5595859014ebf0951522d96f1ed002ab5595859014ebf0951522d9"
      }
    },
    response: { token: "eyJhbGciOiJIUzI1NiJ9.eyJzaXRlS2V5Ijoia3ljIn0.c2lnbmF0dXJl" }
  }
}
