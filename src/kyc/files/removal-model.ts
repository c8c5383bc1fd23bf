/** The kind of work that deletes a file's content from the store. */
export const fileRemoval = "kyc.file.removal"
