/** The entry point of the page that shows receipts, and checks them without an account. */
import { render } from "preact"
import { ReceiptPage } from "./receipt-page.tsx"

const root = document.getElementById("page")
if (root !== null) {
  root.replaceChildren()
  render(<ReceiptPage />, root)
}
