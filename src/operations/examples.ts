/** A good call of each route, for the description. */
export const examples = {
  health: { response: { ok: true } },
  ready: { response: { ok: true } }
}
