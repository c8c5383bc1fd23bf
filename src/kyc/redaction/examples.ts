export const examples = { redact: { request: {}, response: { ok: true } } }
