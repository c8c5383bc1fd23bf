// This looks like a token, but its checksum is wrong, so that no secret scanner raises an alarm.
const token = "kyc_sess_ffOX0000000000000000000000000000000000000000000000000"

const waiting = { file_id: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13", status: "waiting", fields: null }

/** The holder of the specimens of ICAO 9303. */
const fields = {
  document_number: "L898902C3",
  country: "UTO",
  expiry_date: "2012-04-15",
  surname: "ERIKSSON",
  given_names: "ANNA MARIA",
  birth_date: "1974-08-12",
  nationality: "UTO",
  zone: "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"
}

export const examples = {
  start: { request: { token }, response: { reading: waiting } },
  get: { response: { reading: { ...waiting, status: "done", fields } } }
}
