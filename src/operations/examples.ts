export const examples = {
  health: { response: { ok: true } },
  ready: { response: { ok: true } },
  metrics: {
    response:
      '# HELP doorlock_changes_trusted 1 while every revocation is known to be heard of within a second.\n# TYPE doorlock_changes_trusted gauge\ndoorlock_changes_trusted{worker="1"} 1\n'
  }
}
