const file = {
  id: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13",
  content_type: "image/jpeg",
  size: 482_133,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  created_at: "2026-11-20T10:00:35.000Z"
}

/** The first bytes of a JPEG. The OpenAPI document has no binary examples; these serve the contract test. */
const content = Uint8Array.of(0xff, 0xd8, 0xff, 0xdb)

export const examples = {
  upload: { request: content, response: { file } },
  list: { response: { files: [{ ...file, session_id: "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13bc" }] } },
  read: { response: content }
}
