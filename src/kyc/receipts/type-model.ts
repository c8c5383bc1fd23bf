/** The page that checks receipts needs this, too, so this file imports nothing. */

/** `typ` in the header of a receipt, so that nothing else that a key ever signs passes for a receipt. */
export const receiptType = "doorlock-receipt+jws"
