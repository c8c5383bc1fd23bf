const sessionId = "01a1f8d7-dfc9-74cc-a4c9-1bdd7c8c13bc"
// These look like tokens, but their checksums are wrong, so that no secret scanner raises an alarm.
const token = "kyc_sess_ffOX0000000000000000000000000000000000000000000000000"
const secret = "kyc_hand_q7Zw0000000000000000000000000000000000000000000000000"
const receipt = "b1946ac92492d2347c6235b4d2611184"

const handoff = {
  id: "01a1f8d9-3c1b-7a55-9d0e-6f1c1f9f2a10",
  status: "waiting",
  expires_at: "2026-11-20T10:11:00.000Z"
}
const carry = { numbers: { document: "K0307756" } }

export const examples = {
  create: {
    request: { token, carry },
    response: { handoff, url: `https://kyc.example.com/kyc/session/${sessionId}#handoff=${secret}` }
  },
  follow: { response: { handoff: { ...handoff, status: "claimed", device: "iphone", code: "47" } } },
  cancel: { request: { token }, response: { ok: true } },
  inspect: {
    request: { secret },
    response: {
      handoff,
      session: {
        id: sessionId,
        mode: "prod",
        expires_at: "2026-11-20T11:00:00.000Z",
        instance_config: { title: { en: "Verify your identity" }, legal: { company: "Example Ltd" } }
      }
    }
  },
  claim: { request: { secret, receipt }, response: { handoff: { ...handoff, status: "claimed" } } },
  confirm: {
    request: { secret, receipt, code: "47" },
    response: { handoff: { ...handoff, status: "confirmed" }, sessionToken: token, carry }
  }
}
