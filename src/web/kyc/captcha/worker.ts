/** Solves a challenge of the built-in captcha, in a thread of its own so that the page stays quick. */
import { type Challenge, type DeriveKeyFunction, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2"
import { pbkdf2 } from "./pbkdf2.ts"

/** On plain http there is no WebCrypto. */
const withoutWebCrypto: DeriveKeyFunction = ({ cost, keyLength = 32 }, salt, password) =>
  Promise.resolve({ derivedKey: pbkdf2(password, salt, cost, keyLength) })

// A worker of its own: the page is the only one who can send.
addEventListener("message", ({ data }: MessageEvent<Challenge>) => {
  solveChallenge({
    challenge: data,
    deriveKey: globalThis.crypto.subtle ? deriveKey : withoutWebCrypto
  }).then(
    (solution) => postMessage(solution),
    () => postMessage(null)
  )
})
