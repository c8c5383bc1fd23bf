export const examples = {
  read: { response: new TextEncoder().encode("a ZIP") }
}
