import type { Endpoint } from "./states.tsx"

/** The schemes by which an endpoint's deliveries are signed, in words. */
export const signings = {
  v1: {
    label: "With a shared secret (HMAC-SHA-256)",
    meaning: "Your server and doorlock share a secret. Every library for Standard Webhooks can verify this.",
    /** What is rotated. */
    name: "secret",
    title: "Secret",
    advice: "Rotate it regularly, and at once if somebody else may know it.",
    rotate: "Rotate secret"
  },
  v1a: {
    label: "With a key pair (ed25519)",
    meaning:
      "Your server verifies with a public key. Only doorlock can sign, and your server has no secret to protect.",
    name: "key",
    title: "Key pair",
    advice: "Only doorlock has the private key. Rotate it as often as your security policy requires.",
    rotate: "Rotate key"
  }
} as const satisfies Readonly<Record<Endpoint["signing"], Readonly<Record<string, string>>>>
