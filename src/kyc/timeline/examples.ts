export const examples = {
  get: {
    response: {
      events: [
        { type: "created", at: "2026-11-20T10:00:00.000Z" },
        { type: "started", at: "2026-11-20T10:00:05.000Z" },
        { type: "captcha_verified", at: "2026-11-20T10:00:06.000Z", score: 0.7 },
        {
          type: "file_stored",
          at: "2026-11-20T10:00:35.000Z",
          file_id: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13",
          content_type: "image/jpeg",
          size: 482_133
        },
        { type: "dedup_checked", at: "2026-11-20T10:00:38.000Z", matchFound: false },
        { type: "progress", at: "2026-11-20T10:00:40.000Z", steps: ["person", "document"] },
        { type: "completed", at: "2026-11-20T10:00:40.000Z" },
        {
          type: "reviewed",
          at: "2026-11-20T10:06:00.000Z",
          decision: "approved",
          by: "01a1f8d6-727f-7183-b0c4-9e1f7a6d2c55"
        }
      ]
    }
  }
}
