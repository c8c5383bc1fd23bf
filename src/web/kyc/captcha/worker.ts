/** Solves the captcha's challenge in a worker, so that the page stays responsive. */
import { type Challenge, type DeriveKeyFunction, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2"
import { pbkdf2 } from "./pbkdf2.ts"

/** Browsers offer no WebCrypto on plain http. */
const withoutWebCrypto: DeriveKeyFunction = ({ cost, keyLength = 32 }, salt, password) =>
  Promise.resolve({ derivedKey: pbkdf2(password, salt, cost, keyLength) })

// A dedicated worker: only the page can send it messages.
addEventListener("message", ({ data }: MessageEvent<Challenge>) => {
  solveChallenge({
    challenge: data,
    deriveKey: globalThis.crypto.subtle ? deriveKey : withoutWebCrypto
  }).then(
    (solution) => postMessage(solution),
    () => postMessage(null)
  )
})
