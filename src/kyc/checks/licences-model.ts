/** Whose driving licences have a barcode with their fields, the PDF417 of AAMVA (ISO 3166-1 alpha-3). */
export const licencesWithBarcodes: ReadonlyArray<string> = ["USA", "CAN"]
