const key = { kind: "api_key", id: "01a1f8d6-72c1-769b-b352-930a5f6722f1", name: "Sign-up server" }

export const examples = {
  list: {
    response: {
      events: [
        {
          id: "01a1f8d6-72c2-7a0c-8f3e-6f0f4a1f2b11",
          position: 2,
          at: "2026-11-20T10:00:00.000Z",
          actor: { kind: "user", id: "01a1f8d6-727f-7181-ad0f-bd032ea33066", name: "ada@example.com" },
          address: "203.0.113.7",
          user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
          action: "api_key.created",
          resource: key,
          details: {
            token_prefix: "dlk_CTmB",
            scopes: ["kyc:sessions"],
            expires_at: "2027-12-31T00:00:00.000Z"
          },
          previous_hash: "dafddefa83ba0eeb06ea60bee31d9ff2c5da03bc69ebd84ee6e8af9de9fda0bb",
          hash: "4f8ee0b2f1c41ad03f5c4fd4c0ac2d4b1ef9bb4c77d3bb23cb9c6a38c2d1f9aa"
        }
      ],
      next_cursor: "2"
    }
  }
}
